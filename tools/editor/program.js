// The names of the program in the editor, and the kinds of its values, read from its syntax tree.
//
// A kind is a name of names.json (`Tensor`, `Module`, `ndarray` …) or `own:C` for an instance of the
// program's own class C. It is a guess: a value of unknown kind is none.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";

const TIME = 100; // milliseconds to parse what is not parsed yet
const SAME_MODULE = new Set(
  "to cuda cpu train eval double float half bfloat16 requires_grad_ apply to_empty".split(" ")
);
const TENSORS = new Set("T mT H data grad weight bias real imag".split(" "));
const KIND_OF_LITERAL = {
  String: "str", FormatString: "str", ArrayExpression: "list", ArrayComprehensionExpression: "list",
  DictionaryExpression: "dict", DictionaryComprehensionExpression: "dict",
};
const RESULTS = { numpy: "ndarray", tolist: "list", state_dict: "dict" }; // of methods
const NO_TENSORS = new Set(
  "item dim size numel is_floating_point is_complex is_contiguous data_ptr element_size stride equal".split(" ")
);

export function treeOf(state) {
  return ensureSyntaxTree(state, state.doc.length, TIME) ?? syntaxTree(state);
}

const known = new WeakMap(); // by document

export function programOf(state, names) {
  let program = known.get(state.doc);
  if (!program || program.names !== names) {
    program = new Program(state, names);
    known.set(state.doc, program);
  }
  return program;
}

class Program {
  constructor(state, names) {
    this.state = state;
    this.names = names;
    this.roots = new Map(Object.entries(names.prebound)); // name -> module
    this.members = new Map(); // name -> [module, member]
    this.kinds = new Map();
    this.functions = new Map(); // name -> {signature, sentence}
    this.classes = new Map(); // name -> {bases, attributes, methods, signature, sentence}
    this._read(treeOf(state));
  }

  text(node) {
    return this.state.sliceDoc(node.from, node.to);
  }

  _read(tree) {
    const assigned = [];
    tree.iterate({
      enter: (at) => {
        if (at.name === "ImportStatement") this._import(this.text(at));
        else if (at.name === "AssignStatement") assigned.push(at.node);
        else if (at.name === "FunctionDefinition") this._function(at.node);
        else if (at.name === "ClassDefinition") this._class(at.node);
      },
    });
    for (const node of assigned) this._assign(node);
  }

  _import(text) {
    const from = /^from\s+([\w.]+)\s+import\s+([^]*)$/.exec(text);
    const parts = (from ? from[2] : text.replace(/^import\s+/, "")).replace(/[()\\]/g, " ").split(",");
    for (const part of parts) {
      const named = /^\s*([\w.]+|\*)(?:\s+as\s+(\w+))?\s*$/.exec(part);
      if (!named) continue;
      const [, what, as] = named;
      if (from && what === "*")
        for (const each of Object.keys(this.names.modules[from[1]] ?? {})) this.members.set(each, [from[1], each]);
      else if (from) this._bind(as ?? what, `${from[1]}.${what}`, from[1], what);
      else if (as) this._bind(as, what);
      else this._bind(what.split(".")[0], what.split(".")[0]);
    }
  }

  _bind(name, module, owner, member) {
    if (module in this.names.modules) this.roots.set(name, module);
    else if (owner && member in (this.names.modules[owner] ?? {})) this.members.set(name, [owner, member]);
  }

  _function(node) {
    const name = node.getChild("VariableName");
    if (!name) return;
    const signature = oneLine(this.text(node.getChild("ParamList") ?? name));
    const found = { signature: signature.startsWith("(") ? signature : "()", sentence: this._docstring(node) };
    const owner = node.parent?.name === "Body" ? node.parent.parent : node.parent?.parent?.parent;
    if (owner?.name !== "ClassDefinition") return void this.functions.set(this.text(name), found);
    const known = this._class(owner);
    const bare = found.signature.replace(/^\(\s*(self|cls)\s*,?\s*/, "(");
    known?.methods.set(this.text(name), { ...found, signature: bare });
  }

  _class(node) {
    const name = node.getChild("VariableName");
    if (!name) return undefined;
    const key = this.text(name);
    if (!this.classes.has(key)) {
      const bases = node.getChild("ArgList");
      this.classes.set(key, {
        bases: bases ? this.text(bases).slice(1, -1).split(",").map((each) => each.trim()) : [],
        attributes: new Set(), methods: new Map(), sentence: this._docstring(node), node,
      });
    }
    return this.classes.get(key);
  }

  _docstring(node) {
    const body = node.getChild("Body");
    const first = body?.firstChild?.nextSibling; // after the colon
    const text = first?.name === "ExpressionStatement" && first.firstChild?.name === "String" ? this.text(first) : "";
    return oneLine(text.replace(/^[rRuU]?("""|'''|"|')|("""|'''|"|')$/g, "").trim().split(/\n\s*\n/)[0]).slice(0, 160);
  }

  _assign(node) {
    const target = node.firstChild, value = node.lastChild;
    if (!target || !value || target.nextSibling?.name === ",") return;
    if (target.name === "VariableName") {
      const kind = this.kindOf(value);
      if (kind) this.kinds.set(this.text(target), kind);
    } else if (target.name === "MemberExpression" && this.text(target).startsWith("self.")) {
      const owner = this.classAround(node);
      owner?.attributes.add(this.text(target).slice("self.".length).split(".")[0]);
      const kind = this.kindOf(value);
      if (kind) this.kinds.set(this.text(target), kind);
    }
  }

  classAround(node) {
    for (let at = node; at; at = at.parent)
      if (at.name === "ClassDefinition") return this._class(at);
    return undefined;
  }

  isModule(className, depth = 0) {
    const bases = this.classes.get(className)?.bases ?? [];
    return depth < 9 && bases.some((base) => {
      const [module, member] = this.memberOf(base.split("."));
      return module ? module.startsWith("torch.nn") && /^[A-Z]/.test(member) : this.isModule(base, depth + 1);
    });
  }

  // ["nn", "Linear"] -> ["torch.nn", "Linear"]; [module] alone where the chain names a module.
  memberOf(chain) {
    if (chain.length === 1 && this.members.has(chain[0])) return this.members.get(chain[0]);
    let module = this.roots.get(chain[0]);
    if (!module) return [];
    for (const [place, part] of chain.slice(1).entries()) {
      if (`${module}.${part}` in this.names.modules) module = `${module}.${part}`;
      else return place === chain.length - 2 && part in this.names.modules[module] ? [module, part] : [];
    }
    return [module];
  }

  chainOf(node) {
    if (node?.name === "VariableName") return [this.text(node)];
    if (node?.name !== "MemberExpression") return undefined;
    const before = this.chainOf(node.firstChild);
    const last = node.getChild("PropertyName");
    return before && last ? [...before, this.text(last)] : undefined;
  }

  kindOf(node) {
    if (!node) return undefined;
    if (node.name in KIND_OF_LITERAL) return KIND_OF_LITERAL[node.name];
    if (node.name === "ParenthesizedExpression") return this.kindOf(node.firstChild?.nextSibling);
    if (node.name === "BinaryExpression") return this._ofEither(node);
    if (node.name === "VariableName") {
      if (this.text(node) !== "self") return this.kinds.get(this.text(node));
      const around = this.classAround(node);
      return around && `own:${this.text(around.node.getChild("VariableName"))}`;
    }
    if (node.name === "MemberExpression") {
      const property = node.getChild("PropertyName");
      return this.kinds.get(this.text(node)) ?? (property && TENSORS.has(this.text(property)) ? "Tensor" : undefined);
    }
    return node.name === "CallExpression" ? this._ofCall(node) : undefined;
  }

  _ofEither(node) {
    const kinds = [this.kindOf(node.firstChild), this.kindOf(node.lastChild)];
    return kinds.find((kind) => kind === "Tensor" || kind === "ndarray");
  }

  _ofCall(node) {
    const called = node.firstChild;
    const chain = this.chainOf(called);
    const [module, member] = chain ? this.memberOf(chain) : [];
    if (member) return kindMade(module, member);
    if (chain?.length === 1 && this.classes.has(chain[0])) return `own:${chain[0]}`;
    if (called.name !== "MemberExpression") return this.isNetwork(this.kindOf(called)) ? "Tensor" : undefined;
    const owner = this.kindOf(called.firstChild);
    const method = this.text(called.getChild("PropertyName") ?? called);
    if (this.isNetwork(owner)) return SAME_MODULE.has(method) ? owner : RESULTS[method];
    if (owner !== "Tensor") return owner === "ndarray" && method !== "tolist" ? "ndarray" : undefined;
    return RESULTS[method] ?? (NO_TENSORS.has(method) ? undefined : "Tensor");
  }

  isNetwork(kind) {
    return kind === "Module" || (kind?.startsWith("own:") && this.isModule(kind.slice("own:".length)));
  }

  // The attributes of a value: an array of [name, entry, owner]; those of the program have no owner.
  attributesOf(kind) {
    if (kind?.startsWith("own:")) {
      const own = this.classes.get(kind.slice("own:".length));
      if (!own) return [];
      const mine = [
        ...[...own.methods].filter(([name]) => !name.startsWith("__")).map(([name, each]) => [name, entry(each), ""]),
        ...[...own.attributes].map((name) => [name, "", ""]),
      ];
      const taken = new Set(mine.map(([name]) => name));
      const base = this.isNetwork(kind) ? this.attributesOf("Module") : [];
      return [...mine, ...base.filter(([name]) => !taken.has(name))];
    }
    return Object.entries(this.names.objects[kind] ?? {}).map(([name, text]) => [name, text, kind]);
  }

  // What an expression means: {name, signature, sentence}, or undefined.
  describe(node) {
    const chain = this.chainOf(node);
    if (chain) {
      const [module, member] = this.memberOf(chain);
      if (member) return shown(`${module}.${member}`, this.names.modules[module][member]);
      if (module) return { name: module, signature: "", sentence: "" };
      if (chain.length === 1) return this._own(chain[0]);
    }
    if (node?.name !== "MemberExpression") return undefined;
    const property = node.getChild("PropertyName");
    if (!property) return undefined;
    const wanted = this.text(property);
    const kind = this.kindOf(node.firstChild);
    for (const each of kind ? [kind] : ["Tensor", "Module"])
      for (const [name, text, owner] of this.attributesOf(each))
        if (name === wanted) return shown(owner ? `${owner}.${name}` : name, text);
    return undefined;
  }

  _own(name) {
    const own = this.functions.get(name);
    if (own) return { name, ...own };
    const made = this.classes.get(name);
    if (made) return { name, signature: made.methods.get("__init__")?.signature ?? "()", sentence: made.sentence };
    const kind = this.kinds.get(name);
    if (kind?.startsWith("own:")) {
      const call = this.classes.get(kind.slice("own:".length))?.methods.get("forward");
      return call ? { name, ...call } : undefined;
    }
    return kind === undefined && name in this.names.builtins ? shown(name, this.names.builtins[name]) : undefined;
  }
}

function kindMade(module, member) {
  const isClass = /^[A-Z]/.test(member);
  if (module.startsWith("numpy")) return isClass ? undefined : "ndarray";
  if (module === "torch.nn" && isClass) return /^(Uninitialized)?(Parameter|Buffer)$/.test(member) ? "Tensor" : "Module";
  if (module === "torch.optim.lr_scheduler" && isClass) return "LRScheduler";
  if (module === "torch.optim" && isClass) return "Optimizer";
  if (/^torch(\.(nn\.functional|linalg|special|fft))?$/.test(module))
    return isClass || /^(is_|can_|get_|set_|manual_seed|save|load|no_grad|device|Size|typename|numel)/.test(member) ? undefined : "Tensor";
  return undefined;
}

function entry({ signature, sentence }) {
  return sentence ? `${signature}\n${sentence}` : signature;
}

function shown(name, text) {
  const [signature, sentence = ""] = text.split("\n");
  return { name, signature, sentence };
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
