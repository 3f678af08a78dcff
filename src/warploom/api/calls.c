// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick way from a call in Python to a launch: arguments that are exactly what the kernel takes go to it as they
// are. Whatever else there is (other types, objects of other libraries, mistakes) is left to arguments.py, which
// converts or explains: `call` then returns kOther and has changed nothing.
//
// Written against CPython's stable ABI (3.11 and newer, builds with the GIL), whose few functions are declared here:
// one build serves all versions, and no header of Python's is needed to make it.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef ptrdiff_t Size;
typedef struct Object {
  Size references;
  void *type;
} Object;
typedef struct Buffer {
  void *memory;
  Object *owner;
  Size bytes, item_size;
  int read_only, dimensions;
  char *format;
  Size *shape, *strides, *suboffsets;
  void *internal;
} Buffer;
typedef struct Method {
  const char *name;
  void *function;
  int flags;
  const char *text;
} Method;

extern char PyLong_Type, PyFloat_Type, PyBool_Type, PyTuple_Type;
extern Object _Py_TrueStruct;
int PyObject_GetBuffer(Object *, Buffer *, int);
void PyBuffer_Release(Buffer *);
long long PyLong_AsLongLongAndOverflow(Object *, int *);
double PyFloat_AsDouble(Object *);
void PyErr_Clear(void);
Size PyTuple_Size(Object *);
Object *PyTuple_GetItem(Object *, Size);
char *PyBytes_AsString(Object *);
Object *PyLong_FromLong(long);
Object *PyCFunction_NewEx(Method *, Object *, Object *);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);

enum { kFormat = 4, kWritable = 1, kAnyContiguous = 0x80 | 0x10 | 0x08 };  // PyBUF_*
enum { kFastCall = 0x80, kMost = 32, kOther = -1 };

typedef struct Extent {
  uint32_t x, y, z;
} Extent;

// What the kernel takes, as kernel.py packs it.
typedef struct Parameter {
  char kind;  // of a number: i u f b; of the elements of an array also c; what is none is left to arguments.py
  uint8_t size;
  uint8_t is_pointer, is_const;
  uint32_t alignment;
  uint64_t is_known, known;  // the special kernel is for this number alone
} Parameter;
typedef struct Plan {
  int (*launch)(void *, Extent, Extent, void **, size_t, void *);  // cudaLaunchKernel
  int (*wait)(void *);                                             // cudaStreamSynchronize
  void *kernel;
  uint64_t count;
  void *special;  // a kernel for blocks of that size and the known numbers alone, or none: specialise.py
  uint32_t block[3], unused;
  Parameter parameters[];
} Plan;

static int is_exactly(const Object *object, const void *type) { return object->type == type; }

// What a buffer's format says of one element; 0: not one number.
static char kind_of(const char *format, Size size) {
  if (!format) return size == 1 ? 'u' : 0;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (strcmp(format, "Zf") == 0 || strcmp(format, "Zd") == 0) return 'c';
  if (format[0] == 0 || format[1] != 0) return 0;
  if (strchr("bhilqn", *format)) return 'i';
  if (strchr("BHILQN", *format)) return 'u';
  if (strchr("efd", *format)) return 'f';
  return *format == '?' ? 'b' : 0;
}

static int read_unsigned(Object *object, uint64_t most, uint64_t *value) {
  int overflow = 0;
  if (!is_exactly(object, &PyLong_Type)) return 0;
  const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow || number < 0 || (uint64_t)number > most) return 0;
  *value = (uint64_t)number;
  return 1;
}

static int read_extent(Object *object, Extent *extent) {
  uint64_t values[3] = {1, 1, 1};
  int is_read = 1;
  if (is_exactly(object, &PyTuple_Type)) {
    const Size count = PyTuple_Size(object);
    if (count < 1 || count > 3) return 0;
    for (Size i = 0; i < count; ++i) is_read &= read_unsigned(PyTuple_GetItem(object, i), UINT32_MAX, &values[i]);
  } else {
    is_read = read_unsigned(object, UINT32_MAX, &values[0]);
  }
  *extent = (Extent){(uint32_t)values[0], (uint32_t)values[1], (uint32_t)values[2]};
  return is_read;
}

static int has_range(const Parameter *parameter, long long number) {
  if (parameter->size == 8) return parameter->kind == 'i' || number >= 0;
  const int bits = 8 * parameter->size;
  return parameter->kind == 'i' ? number >= -(1LL << (bits - 1)) && number < 1LL << (bits - 1)
                                : number >= 0 && number < 1LL << bits;
}

static int read_whole(const Parameter *parameter, Object *object, uint64_t *slot) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow || !has_range(parameter, number)) return 0;
  memcpy(slot, &number, 8);
  return 1;
}

static void store_float(const Parameter *parameter, double number, uint64_t *slot) {
  const float rounded = (float)number;
  if (parameter->size == 8)
    memcpy(slot, &number, 8);
  else
    memcpy(slot, &rounded, 4);
}

// A number of NumPy's, or an array without dimensions.
static int read_scalar_buffer(const Parameter *parameter, Object *object, uint64_t *slot) {
  Buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, kFormat | kAnyContiguous) != 0) return 0;
  const int fits = buffer.dimensions == 0 && buffer.item_size == parameter->size &&
                   kind_of(buffer.format, buffer.item_size) == parameter->kind;
  if (fits) memcpy(slot, buffer.memory, parameter->size);
  PyBuffer_Release(&buffer);
  return fits;
}

static int read_number(const Parameter *parameter, Object *object, uint64_t *slot) {
  if (is_exactly(object, &PyBool_Type)) {
    if (parameter->kind != 'b') return 0;
    *slot = object == &_Py_TrueStruct;
    return 1;
  }
  if (is_exactly(object, &PyLong_Type))
    return (parameter->kind == 'i' || parameter->kind == 'u') && read_whole(parameter, object, slot);
  if (is_exactly(object, &PyFloat_Type)) {
    if (parameter->kind != 'f' || parameter->size < 4) return 0;
    store_float(parameter, PyFloat_AsDouble(object), slot);
    return 1;
  }
  return read_scalar_buffer(parameter, object, slot);
}

// The memory of an array; `buffer` is to be released when 1 is returned.
static int read_array(const Parameter *parameter, Object *object, Buffer *buffer, uint64_t *slot) {
  const int flags = kFormat | kAnyContiguous | (parameter->is_const ? 0 : kWritable);
  if (PyObject_GetBuffer(object, buffer, flags) != 0) return 0;
  const int fits = buffer->dimensions > 0 && buffer->item_size == parameter->size &&
                   kind_of(buffer->format, buffer->item_size) == parameter->kind && buffer->bytes > 0 &&
                   (uintptr_t)buffer->memory % parameter->alignment == 0;
  if (fits)
    memcpy(slot, &buffer->memory, sizeof buffer->memory);
  else
    PyBuffer_Release(buffer);
  return fits;
}

static int is_special(const Plan *plan, Extent block, const uint64_t *slots) {
  if (!plan->special || block.x != plan->block[0] || block.y != plan->block[1] || block.z != plan->block[2]) return 0;
  for (uint64_t i = 0; i < plan->count; ++i) {
    const Parameter *const parameter = &plan->parameters[i];
    if (parameter->is_known && memcmp(&slots[i], &parameter->known, parameter->size) != 0) return 0;
  }
  return 1;
}

static Object *launch(const Plan *plan, void *kernel, Extent grid, Extent block, void **arguments, uint64_t shared,
                      void *stream, int is_waited_for) {
  void *const thread = PyEval_SaveThread();
  int error = plan->launch(kernel, grid, block, arguments, shared, stream);
  if (error == 0 && is_waited_for) error = plan->wait(stream);
  PyEval_RestoreThread(thread);
  return PyLong_FromLong(error);
}

// call(plan, grid, block, arguments, shared_mem, stream, is_waited_for): what the launch returned, or kOther.
static Object *call(Object *self, Object *const *given, Size count) {
  (void)self;
  if (count != 7) return PyLong_FromLong(kOther);
  const Plan *const plan = (const Plan *)(const void *)PyBytes_AsString(given[0]);
  Extent grid, block;
  uint64_t shared = 0, stream = 0, is_waited_for = 0;
  if (!plan || !is_exactly(given[3], &PyTuple_Type) || PyTuple_Size(given[3]) != (Size)plan->count ||
      plan->count > kMost || !read_extent(given[1], &grid) || !read_extent(given[2], &block) ||
      !read_unsigned(given[4], UINT32_MAX, &shared) || !read_unsigned(given[5], UINT64_MAX, &stream) ||
      !read_unsigned(given[6], 1, &is_waited_for)) {
    PyErr_Clear();
    return PyLong_FromLong(kOther);
  }
  Buffer buffers[kMost];
  uint64_t slots[kMost];
  void *arguments[kMost];
  int held = 0, fits = 1;
  for (uint64_t i = 0; fits && i < plan->count; ++i) {
    const Parameter *const parameter = &plan->parameters[i];
    Object *const object = PyTuple_GetItem(given[3], (Size)i);
    arguments[i] = &slots[i];
    if (!parameter->is_pointer)
      fits = read_number(parameter, object, &slots[i]);
    else if ((fits = read_array(parameter, object, &buffers[held], &slots[i])))
      ++held;
  }
  PyErr_Clear();  // of buffers that there were none of
  void *const kernel = fits && is_special(plan, block, slots) ? plan->special : plan->kernel;
  Object *const result =
      fits ? launch(plan, kernel, grid, block, arguments, shared, (void *)(uintptr_t)stream, (int)is_waited_for)
           : PyLong_FromLong(kOther);
  while (held > 0) PyBuffer_Release(&buffers[--held]);
  return result;
}

// The function `call` as an object of Python's.
Object *warploom_make_call(void) {
  static Method method = {"call", (void *)call, kFastCall, "Launch a kernel with arguments that are what it takes."};
  return PyCFunction_NewEx(&method, NULL, NULL);
}
