"""Rules for names, for attributes behind a dot, and for imports."""

import ast
import builtins
import functools
import unicodedata

from playground.sandbox.allowed_names import (
    ADDRESSES,
    CONSTANTS,
    ERRORS,
    FRAMES,
    FUNCTIONS,
    KNOWN_ATTRIBUTES,
    MODULES,
    NAMEDTUPLE,
    OWN_SPECIAL,
    PRIVATE,
    RESERVED,
    SPECIAL_METHODS,
    SPECIAL_NAMES,
    UNINITIALISED,
    words,
)
from playground.sandbox.check import notebook
from playground.sandbox.check.program import Program, nearest, stem

KNOWN = FUNCTIONS | ERRORS | CONSTANTS | notebook.FUNCTIONS | {"_", "__name__", "__doc__"}
PYTHONS_OWN = frozenset(dir(builtins)) | {"help", "quit", "exit", "copyright", "credits", "license"}
FREE = words(
    """
    input id format vars hash hex oct ord chr bin dir help ascii copyright credits license
    """
)  # Python's own that programs rarely call; as variables they confuse nobody
REASONS = {
    "code_from_text": "eval exec compile __import__ __loader__ __build_class__",
    "looking_around": "memoryview __builtins__ __spec__",
    "ending": "quit exit breakpoint SystemExit KeyboardInterrupt",
    "base_error": "BaseException BaseExceptionGroup ExceptionGroup GeneratorExit",
}
SENTENCES = {name: id for id, names in REASONS.items() for name in names.split()}
REFUSALS = (
    dict.fromkeys(FRAMES, "looking_inside")
    | dict.fromkeys(ADDRESSES, "address")
    | dict.fromkeys(UNINITIALISED, "uninitialised")
)
NOT_INSTALLED = words(
    "gradio jax keras mxnet PIL scipy seaborn sklearn tensorflow torchaudio torchtext transformers"
)  # what textbooks import, and the lab does not have
OF_NETWORK = words("ftplib http requests smtplib socket ssl urllib urllib3 wget")
NOTED = {
    "torch.compile": "torch_compile",
    "torch.cuda.Event": "gpu_times",
    "torchvision.datasets.FashionMNIST": "drawn_clothes",
    "d2l.torch.FashionMNIST": "drawn_clothes",
    "d2l.torch.load_data_fashion_mnist": "drawn_clothes",
    "tqdm.tqdm": "progress_bar",
    "tqdm.trange": "progress_bar",
}  # members that work in another way
RENAMED = frozenset({"__doc__", "__name__", "__qualname__"})  # what a cell may set
LOOK_ALIKE = ("CYRILLIC", "GREEK")  # scripts with letters that look like Latin ones


def is_dunder(name: str) -> bool:
    """Return whether a name begins and ends with two underscores."""
    return len(name) > 4 and name[:2] == "__" == name[-2:]


def check_name(program: Program, node: ast.Name) -> None:
    """Check a name that is read, bound or deleted; of an unknown one Python says so."""
    name = node.id
    if isinstance(node.ctx, ast.Store):
        bind(program, node, name)
    elif isinstance(node.ctx, ast.Load) and not (
        name in program.roots or name in program.bound or name in program.imported or name in KNOWN
    ):
        if name in PYTHONS_OWN:
            program.report(SENTENCES.get(name, "builtin"), node, name=name)
        elif is_dunder(name):
            program.report("underscore", node, name=name)


def bind(program: Program, node: ast.AST, name: str) -> None:
    """Check a name that is bound, in whatever way."""
    if is_dunder(name):
        if name not in OWN_SPECIAL:
            program.report("underscore", node, name=name)
    elif isinstance(program.statement_around(node), ast.ClassDef):
        return  # an attribute hides nothing
    elif not name.isascii() and _is_mixed(name):
        program.report("alphabet", node, name=name)
    elif name in program.rebound_modules:
        program.report("rebinds_module", node, name=name)
    elif name in PYTHONS_OWN - FREE:
        program.report("rebinds", node, name=name)


def _is_mixed(name: str) -> bool:
    """Return whether Latin letters stand beside some that look like them."""
    scripts = {unicodedata.name(each, "?").split()[0] for each in name if each.isalpha()}
    return "LATIN" in scripts and not scripts.isdisjoint(LOOK_ALIKE)


def capture(program: Program, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
    """Check a name that a pattern binds."""
    name = node.rest if isinstance(node, ast.MatchMapping) else node.name
    if name is not None:
        bind(program, node, name)


def match_class(program: Program, node: ast.MatchClass) -> None:
    """Check the attributes that ``case Point(x=0)`` reads."""
    for name in node.kwd_attrs:
        if not _is_fine(program, name) or is_dunder(name):
            program.report("underscore", node, name=name)


def attribute(program: Program, node: ast.Attribute) -> None:
    """Check one dot with the name behind it."""
    if node.value in program.reported:
        program.reported.add(node)  # one finding for a chain
        return
    first = stem(node)
    if isinstance(first, ast.Name) and first.id in program.missing - program.bound:
        return  # the import is refused
    module = program.module_of(node.value)
    if module is not None:
        _member(program, node, module)
    elif node.attr in REFUSALS:
        program.report(REFUSALS[node.attr], node, name=node.attr)
    elif not _is_fine(program, node.attr) or (
        is_dunder(node.attr)
        and node.attr not in SPECIAL_METHODS | RENAMED
        and not isinstance(node.ctx, ast.Load)
    ):
        program.report("underscore", node, name=node.attr)
    elif not isinstance(node.ctx, ast.Load) and program.member_of(node.value):
        program.report("stores", node, name=ast.unparse(node))
    elif (
        node.attr[:1] != "_"
        and node.attr not in KNOWN_ATTRIBUTES | program.attributes
        and isinstance(node.ctx, ast.Load)
        and not program.is_dynamic
    ):
        meant = functools.partial(nearest, node.attr, KNOWN_ATTRIBUTES, program.attributes)
        program.report("attribute", node, meant, name=node.attr)


def _is_fine(program: Program, name: str) -> bool:
    """Return whether a name with underscores may stand behind a dot; the guard asks of what."""
    if REFUSALS.get(name):
        return False
    if is_dunder(name):
        return name in SPECIAL_METHODS | SPECIAL_NAMES
    own = (program.attributes - RESERVED) | PRIVATE | NAMEDTUPLE
    return name[:1] != "_" or name in own


def _member(program: Program, node: ast.Attribute, module: str) -> None:
    """Check an attribute of a module: listed ones only, and none but a switch is set."""
    known, written = MODULES[module], ast.unparse(node)
    if node.attr in known.flags:
        if not isinstance(node.ctx, ast.Load):
            program.report("cudnn_flag", node, name=written)
    elif not isinstance(node.ctx, ast.Load):
        program.report("stores_in_module", node, name=written)
    elif node.attr in known.members | known.parts | {"__name__", "__version__", "__doc__"}:
        _note_member(program, node, f"{module}.{node.attr}")
    elif node.attr.startswith("_"):
        program.report("underscore", node, name=node.attr)
    else:
        refuse_member(program, node, module, node.attr, written)


def _note_member(program: Program, node: ast.AST, member: str) -> None:
    """Tell that a member works in another way here."""
    if member in NOTED:
        program.report(NOTED[member], node, name=member)


def refuse_member(program: Program, node: ast.AST, module: str, name: str, written: str) -> None:
    """Refuse a member that a module does not have here; suggest a similar one."""
    known = MODULES[module]
    meant = functools.partial(nearest, name, known.members, known.parts)
    program.report("not_offered", node, meant, name=written)


def import_module(program: Program, node: ast.Import) -> None:
    """Check ``import torch.nn.functional as F``."""
    for alias in node.names:
        if alias.name not in MODULES:
            _missing(program, node, alias.name)
        elif alias.asname is not None and alias.asname not in program.rebound_modules:
            bind(program, node, alias.asname)


def import_from(program: Program, node: ast.ImportFrom) -> None:
    """Check ``from torch import nn``."""
    module = MODULES.get(node.module or "")
    if node.level or module is None:
        _missing(program, node, "." * node.level + (node.module or ""))
        return
    for alias in node.names:
        if alias.name == "*":
            program.report("import_star", node, name=node.module or "")
        elif alias.name not in module.members | module.parts:
            if not program.is_tried(node):
                written = f"{node.module}.{alias.name}"
                refuse_member(program, node, node.module or "", alias.name, written)
        else:
            _note_member(program, node, f"{node.module}.{alias.name}")
            if alias.asname is not None and alias.asname not in program.rebound_modules:
                bind(program, node, alias.asname)


def _missing(program: Program, node: ast.stmt, name: str) -> None:
    """Refuse an import; where the cell catches its failure, let it fail."""
    if not program.is_tried(node):
        package = name.partition(".")[0]
        id = "import_elsewhere" if package in NOT_INSTALLED else "import"
        program.report("import_network" if package in OF_NETWORK else id, node, name=name)
