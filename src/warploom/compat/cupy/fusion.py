def is_tracing(given, options): return False
def traced_call(*a): raise AssertionError
def fuse(*a, **k): return a[0] if a else (lambda f: f)
