// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's code generator as a process that waits for modules (backend/emitter.py):
//
//     emitter LIBLLVM TRIPLE FEATURES LEVEL CPU OPTION...
//
//     stdin: bitcode file, \0, object file to write, \0, and so on; stdout: \0 for each object that is there
//
// A fault in the code generator, or an error that it reports, ends this process, and with it what is read at the other
// end. It is no child of the process that wants it, whose `wait` never meets it. Before the first module comes it
// compiles what kernels are made of: what is done once in a process is done then.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *Handle;

enum { kObjectFile = 1, kPositionIndependent = 2, kUsualCodeModel = 0 };

static const char kLoop[] =
    "@functions = internal constant [2 x ptr] [ptr @loop, ptr @start]\n"
    "define internal void @start(ptr %%p, i32 %%n) #1 {\n"
    "entry:\n"
    "  %%frame = alloca { i32, i64, ptr }\n"
    "  %%wide = sext i32 %%n to i64\n"
    "  %%size = mul i64 %%wide, 12\n"
    "  %%at = getelementptr { i32, i64, ptr }, ptr %%frame, i32 0, i32 1\n"
    "  store i64 %%size, ptr %%at\n"
    "  %%large = icmp ugt i64 %%size, 4096\n"
    "  br i1 %%large, label %%then, label %%end\n"
    "then:\n"
    "  call void @run(ptr %%p, ptr @loop, ptr %%frame, i64 %%size)\n"
    "  br label %%end\n"
    "end:\n"
    "  ret void\n"
    "}\n"
    "define internal void @loop(ptr %%frame, i64 %%n, i32 %%m) #0 {\n"
    "entry:\n"
    "  %%at = getelementptr i8, ptr %%frame, i64 16\n"
    "  %%p = load ptr, ptr %%at\n"
    "  %%ms = insertelement <16 x i32> poison, i32 %%m, i64 0\n"
    "  %%all = shufflevector <16 x i32> %%ms, <16 x i32> poison, <16 x i32> zeroinitializer\n"
    "  br label %%loop\n"
    "loop:\n"
    "  %%i = phi i64 [ 0, %%entry ], [ %%next, %%loop ]\n"
    "  %%a = getelementptr float, ptr %%p, i64 %%i\n"
    "  %%k = trunc i64 %%i to i32\n"
    "  %%ks = insertelement <16 x i32> poison, i32 %%k, i64 0\n"
    "  %%each = shufflevector <16 x i32> %%ks, <16 x i32> poison, <16 x i32> zeroinitializer\n"
    "  %%mask = icmp slt <16 x i32> %%each, %%all\n"
    "  %%x = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %%a, <16 x i1> %%mask, <16 x float> poison)\n"
    "  %%y = load <16 x float>, ptr %%frame, align 4\n"
    "  %%z = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %%x, <16 x float> %%x, <16 x float> %%y)\n"
    "  call void @llvm.masked.store.v16f32.p0(<16 x float> %%z, ptr align 4 %%a, <16 x i1> %%mask)\n"
    "  %%next = add nuw i64 %%i, 16\n"
    "  %%more = icmp ult i64 %%next, %%n\n"
    "  br i1 %%more, label %%loop, label %%end\n"
    "end:\n"
    "  ret void\n"
    "}\n"
    "declare void @run(ptr, ptr, ptr, i64)\n"
    "declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)\n"
    "declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, <16 x i1>, <16 x float>)\n"
    "declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, <16 x i1>)\n"
    "attributes #0 = { \"target-cpu\"=\"%s\" }\n"
    "attributes #1 = { noinline optnone }\n";

static Handle library;
static const char *triple, *features;
static int level;

static void *find(const char *name) {
  void *const found = dlsym(library, name);
  if (found == NULL) _exit(1);
  return found;
}

// A function of LLVM's by its name and signature.
#define LLVM(result, name, ...) ((result (*)(__VA_ARGS__))find("LLVM" name))

static void initialise_targets(void) {
  static const char *const targets[] = {"X86", "AArch64", "RISCV"};
  static const char *const parts[] = {"TargetInfo", "Target", "TargetMC", "AsmPrinter"};
  for (size_t target = 0; target < 3; ++target) {
    for (size_t part = 0; part < 4; ++part) {
      char name[64];
      snprintf(name, sizeof name, "LLVMInitialize%s%s", targets[target], parts[part]);
      void (*const initialise)(void) = (void (*)(void))dlsym(library, name);
      if (initialise != NULL) initialise();
    }
  }
}

// One for each module: it remembers by their addresses which variables of a module are used, and takes those of the
// next one for them (LLVM 23).
static Handle new_machine(void) {
  Handle target = NULL;
  char *message = NULL;
  if (LLVM(int, "GetTargetFromTriple", const char *, Handle *, char **)(triple, &target, &message)) _exit(1);
  return LLVM(Handle, "CreateTargetMachine", Handle, const char *, const char *, const char *, int, int, int)(
      target, triple, "", features, level, kPositionIndependent, kUsualCodeModel);
}

static void warm_up(const char *cpu) {
  const size_t size = sizeof kLoop + strlen(cpu);
  char *const text = malloc(size);
  if (text == NULL) return;
  const int length = snprintf(text, size, kLoop, cpu);
  const Handle context = LLVM(Handle, "ContextCreate", void)();
  const Handle buffer = LLVM(Handle, "CreateMemoryBufferWithMemoryRangeCopy", const char *, size_t, const char *)(
      text, (size_t)length, "warm-up");
  const Handle machine = new_machine();
  Handle module = NULL, object = NULL;
  char *message = NULL;
  if (!LLVM(int, "ParseIRInContext", Handle, Handle, Handle *, char **)(context, buffer, &module, &message)) {
    LLVM(void, "SetTarget", Handle, const char *)(module, triple);
    if (!LLVM(int, "TargetMachineEmitToMemoryBuffer", Handle, Handle, int, char **, Handle *)(
            machine, module, kObjectFile, &message, &object)) {
      LLVM(void, "DisposeMemoryBuffer", Handle)(object);
    }
  }
  LLVM(void, "DisposeTargetMachine", Handle)(machine);
  LLVM(void, "ContextDispose", Handle)(context);
  free(text);
}

static int emit(const char *bitcode, const char *object) {
  const Handle context = LLVM(Handle, "ContextCreate", void)();
  const Handle machine = new_machine();
  Handle buffer = NULL, module = NULL;
  char *message = NULL;
  const int failed =
      LLVM(int, "CreateMemoryBufferWithContentsOfFile", const char *, Handle *, char **)(bitcode, &buffer, &message) ||
      LLVM(int, "ParseBitcodeInContext2", Handle, Handle, Handle *)(context, buffer, &module) ||
      LLVM(int, "TargetMachineEmitToFile", Handle, Handle, const char *, int, char **)(machine, module, object,
                                                                                       kObjectFile, &message);
  LLVM(void, "DisposeTargetMachine", Handle)(machine);
  LLVM(void, "ContextDispose", Handle)(context);
  return !failed;
}

int main(int count, char **words) {
  if (count < 6 || fork() != 0) _exit(count < 6);
  library = dlopen(words[1], RTLD_NOW);
  if (library == NULL) _exit(1);
  initialise_targets();
  // In place of the options' program stands the word before them.
  LLVM(void, "ParseCommandLineOptions", int, char **, const char *)(count - 5, words + 5, NULL);
  triple = words[2], features = words[3], level = atoi(words[4]);
  warm_up(words[5]);
  char *bitcode = NULL, *object = NULL;
  size_t sizes[2] = {0, 0};
  while (getdelim(&bitcode, &sizes[0], 0, stdin) > 0 && getdelim(&object, &sizes[1], 0, stdin) > 0) {
    if (!emit(bitcode, object) || write(1, "", 1) != 1) _exit(1);
  }
  _exit(0);
}
