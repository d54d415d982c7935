"""What the check must refuse; `\\n` parts lines."""

# fmt: off
HOSTILE = {
    "files": r"""
open('/etc/passwd')
torch.os.system('id')
torch.from_file('/etc/passwd', size=9, dtype=torch.uint8)
torch.load('/etc/passwd')
torch.load(f, weights_only=False)
torch.save(torch.ones(1), '/tmp/x')
x = torch.ones(1)\npath = '/tmp/x'\ntorch.save(x, path)
torch.save(torch.ones(1), open('x', 'wb'))
np.load('x')
x = torch.ones(2)\nx.untyped_storage().from_file('x')
with open('x') as f:\n    pass
""",
    "imports": r"""
import os\nos.listdir('/')
import os\nprint(os.environ)\nos.system('id')
import os
from os import environ
from os import system
import subprocess
import subprocess\nsubprocess.run(['/bin/true'])
import shutil\nshutil.rmtree('/')
import shutil\nshutil.which('nvidia-smi')\nshutil.os
import socket
import sys
import ctypes
import threading
import importlib
import pickle
import builtins
import torch.hub
import torch.multiprocessing as mp
from torch import *
from torch import os
from torch import hub
from torch.utils import cpp_extension
from torch.serialization import add_safe_globals
import numpy.ctypeslib
from numpy import ctypeslib
import numpy as torch
import torch as os
import torch as t
def f():\n    import torch
if True:\n    import torch
__import__('os')
import numpy as np\nnp.load('x')
import numpy as np\nnp.fromfile('x')
import numpy as np\nnp.ones(2).tofile('x')
import numpy as np\nnp.ones(2).dump('x')
import numpy as np\nnp.ones(2).ctypes
import numpy as np\nnp.memmap('x')
import time\ntime.os
import math\nmath.__loader__
import random\nrandom.os
import collections\ncollections.sys
import functools\nfunctools.sys
import dataclasses\ndataclasses.sys
import statistics\nstatistics.random
import io\nio.open('x')
import io\nio.FileIO('x')
from io import FileIO
from torch.utils import benchmark\nbenchmark.Timer("__import__('os').system('id')")
from torch.utils import benchmark\nbenchmark.Timer("1", setup="import os")
from torch.utils import benchmark\nbenchmark.Timer("(lambda: 1)()")
from torch.utils import benchmark\ns = "1"\nbenchmark.Timer(s)
import torch; torch.package
import zipfile\nzipfile.ZipFile('/etc/passwd')
import zipfile\nzipfile.ZipFile('x').extractall('/tmp')
import zipfile\nzipfile.os
from zipfile import os
from zipfile import Path
import zipfile as torch
import pickletools\npickletools.codecs
import pickletools\npickletools.dis
from pickletools import sys
""",
    "modules": r"""
torch.sys.modules
torch.hub.os
torch.serialization.os.environ
torch.compile(f)
torch.jit.script(f)
torch.ops.aten
torch.classes.load_library('x')
torch.utils.cpp_extension
torch.distributed
torch.multiprocessing.spawn
torch.set_warn_always(True)
torch.sparse_csr_tensor([0, 1048576], [0], [1.0])
torch.sparse_coo_tensor([[0]], [1.0])
torch._C
nn.functional.importlib
F.importlib
nn.Linear.mro()
torch.library.define
torch.utils.data.dataloader
torch.utils.data.os
torch.random.torch
torch.optim.torch
torch.linalg.torch
torch.cuda.os
torch.backends.os
torch.version.os
torch.autograd.os
nn.init.torch
nn.utils.torch
nn.modules.torch
torch.storage
""",
    "walks": r"""
torch.__dict__
torch.__loader__
nn.__builtins__
().__class__
().__class__.__bases__[0].__subclasses__()
x = 1\nx.__class__
x = 1\nf'{x.__class__}'
x = 1\nx.__class__ = 2
x = 1\nx.__class__.__name__.__class__
'{0.__class__}'.format(1)
'{0[0]}'.format(1)
'{:{0.real}}'.format(1)
s = '{0.__class__}'\ns.format(1)
str.format('{0.__class__}', 1)
'{x.__class__}'.format_map({'x': 1})
f = '{}'.format\nf(1)
match 1:\n    case object(__class__=c):\n        pass
dict(__class__=1)
x = (i for i in [1])\nx.gi_frame
def f():\n    pass\nf.__code__
nn.Linear.__subclasses__()
getattr(1, '__class__')
x = 1\ngetattr(x, '__class__')
s = '{0.__class__}'\ngetattr(s, 'format')(1)
x = [1]\ngetattr(x, 'gi_frame')
import os\nos.makedirs('/tmp/x')
import os\nos.path.getsize('/etc/passwd')
import os\np = '/etc/passwd'\nos.path.exists(p)
from pathlib import Path\nPath('/etc/passwd').read_bytes()
from pathlib import Path\nPath('../x').exists()
import pathlib
import os\nos.path.join('/etc', 'passwd')
x = 1\nn = '__class__'\ngetattr(x, n)
__builtins__
__builtins__['open']
__spec__
__loader__
__x__ = 1
super().__class__
x.__reduce__
x._backward_hooks
x._C
x.f_back
""",
    "memory": r"""
x = torch.ones(2)\nx.data_ptr()
x = torch.ones(2)\nx.storage()
x = torch.ones(2)\nx.resize_(5)
x = torch.ones(2)\nx.new_empty(5)
""",
    "statements": r"""
try:\n    1/0\nexcept Exception as e:\n    e.__traceback__
try:\n    1/0\nexcept Exception as e:\n    e.with_traceback(None)
def f():\n    pass\nf.__globals__
nn.Linear.forward.__globals__
nn.Linear.__init__.__globals__
print(torch)
try:\n    1/0\nexcept ValueError as torch:\n    pass
def print(x):\n    pass
globals()
try:\n    1/0\nexcept:\n    pass
try:\n    1/0\nexcept BaseException:\n    pass
try:\n    1/0\nexcept (ValueError, SystemExit):\n    pass
try:\n    1/0\nexcept KeyboardInterrupt:\n    pass
try:\n    1/0\nexcept* ValueError:\n    pass
raise SystemExit(3)
raise KeyboardInterrupt
raise 1
def f():\n    yield 1
def f():\n    x = yield
def f():\n    yield from [1]
def f():\n    for i in [1]:\n        x = yield i
yield 1
async def f():\n    pass
async def f():\n    await f()
async def f():\n    return [x async for x in f()]
(x := 1)
global x
def f():\n    nonlocal x
print(1, file=x)
print(1, **{'file': 1})
print(*[1], **x)
with torch.no_grad() as g:\n    pass
with nn.Linear(1, 1):\n    pass
""",
    "aliases": r"""
x = torch; x.os
x = torch.nn
x = [torch]
def f(torch):\n    return torch.os
def f(nn):\n    pass
lambda torch: torch
torch = 1
nn = 1
for torch in [1]:\n    pass
[torch for torch in [1]]
class torch:\n    pass
def torch():\n    pass
torch.randn = None
nn.Linear.forward = None
del torch.os
del torch
for print in [1]:\n    pass
len = 1
ValueError = Exception
_x = 1
""",
    "builtins": r"""
getattr
getattr(torch, 'os')
getattr(torch, 'o' + 's')
getattr(torch.nn, 'os')
hasattr(torch, 'os')
setattr(torch, 'x', 1)
delattr(torch, 'x')
type(1)
type('X', (), {})
x = 1\nt = type(x)
x = 1\ntype(x)(2)
x = 1\ntype(type(x))
t = type
locals()
vars()
vars(torch)
dir(torch)
id(1)
object()
memoryview(1)
eval('1')
exec('1')
compile('1', '', 'eval')
input()
help()
quit()
exit()
breakpoint()
super
super(1, 2)
""",
    "definitions": r"""
class A:\n    def __del__(self):\n        pass
class A:\n    def __getattr__(self, n):\n        pass
class A:\n    def __class_getitem__(cls, n):\n        pass
class A:\n    def __reduce__(self):\n        pass
class A:\n    def __torch_function__(self):\n        pass
class A:\n    def __eq__(self, o):\n        pass
class A:\n    __slots__ = ()
class A(metaclass=type):\n    pass
class A(type):\n    pass
class A(dict):\n    pass
class A(BaseException):\n    pass
class A(print(1)):\n    pass
@print\ndef f():\n    pass
@print\nclass A:\n    pass
@torch.no_grad\ndef f():\n    pass
@(lambda f: f)\ndef f():\n    pass
""",
    "constants": r"""
b'abc'
1j
x = 10**9 + 10000000000
'a' * 3 + 'BIGSTRING'
""",
}
# fmt: on

TOO_LONG = "a" * 600

LINES = tuple(
    line.replace("\\n", "\n").replace("BIGSTRING", TOO_LONG)
    for lines in HOSTILE.values()
    for line in lines.strip().splitlines()
)
