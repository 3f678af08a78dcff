// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what llm.c's programs read, for a small model with random weights: checkpoints in float and bfloat16, what its
// CPU program computes of them (logits, loss, gradients, the losses of ten steps of training), and files of tokens.
//
//     cc -O2 -fopenmp -I LLM.C gpt2_files.c -lm && ./a.out
#define TESTING
#include "train_gpt2.c"

// The kernels want eight words for each of 1,024 threads at least.
enum { kTime = 64, kBatch = 2, kWords = 8300, kPadded = 8320, kChannels = 256 };

static unsigned state = 1;
static unsigned next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }
static float uniform(void) { return (float)(next() % 65536) / 32768 - 1; }

static FILE *start(const char *name, const int *header) {
  int words[256] = {0};
  memcpy(words, header, 8 * sizeof(int));
  FILE *file = fopen(name, "wb");
  fwrite(words, sizeof(int), 256, file);
  return file;
}

static void write_model(void) {
  const int header[] = {20240326, 3, kTime, kWords, 2, 4, kChannels, kPadded},
            small[] = {20240326, 5, kTime, kWords, 2, 4, kChannels, kPadded};
  GPT2Config config = {kTime, kWords, kPadded, 2, 4, kChannels};
  size_t sizes[NUM_PARAMETER_TENSORS];
  fill_in_parameter_sizes(sizes, config);
  FILE *files[] = {start("gpt2_124M.bin", header), start("gpt2_124M_bf16.bin", small)};
  for (int tensor = 0; tensor < NUM_PARAMETER_TENSORS; ++tensor) {
    const int gains = tensor == 2 || tensor == 8 || tensor == 14;  // of layer norms
    for (size_t i = 0; i < sizes[tensor]; ++i) {
      const int padding = tensor == 0 && i >= (size_t)kWords * kChannels;
      float value = padding ? 0 : gains ? 1 + 0.1f * uniform() : 0.05f * uniform();
      unsigned bits;
      memcpy(&bits, &value, sizeof bits);
      bits &= 0xffff0000u;  // the same model in both
      memcpy(&value, &bits, sizeof bits);
      const unsigned short upper = (unsigned short)(bits >> 16);
      fwrite(&value, sizeof value, 1, files[0]);
      fwrite(&upper, sizeof upper, 1, files[1]);
    }
  }
  fclose(files[0]);
  fclose(files[1]);
}

static void write_tokens(const char *name) {
  const int header[8] = {20240520, 1, 20000};
  FILE *file = start(name, header);
  for (int i = 0; i < 20000; ++i) {
    const unsigned short token = (unsigned short)(next() % 50 + i % 7 * 20);
    fwrite(&token, sizeof token, 1, file);
  }
  fclose(file);
}

// Ten steps of training, as a program's own test does them: `clips` scales gradients whose norm is above one.
static void write_losses(const char *name, const int *x, const int *y, float beta, float decay, int clips) {
  GPT2 model;
  gpt2_build_from_checkpoint(&model, "gpt2_124M.bin");
  FILE *file = fopen(name, "w");
  for (int step = 0; step < 10; ++step) {
    gpt2_forward(&model, (int *)x, (int *)y, kBatch, kTime);
    gpt2_zero_grad(&model);
    gpt2_backward(&model);
    fprintf(file, "%.9ff,\n", model.mean_loss);
    double squares = 0;
    for (size_t i = 0; i < model.num_parameters; ++i) squares += (double)model.grads_memory[i] * model.grads_memory[i];
    const float scale = clips && squares > 1 ? (float)(1 / sqrt(squares)) : 1;
    for (size_t i = 0; i < model.num_parameters; ++i) model.grads_memory[i] *= scale;
    gpt2_update(&model, 1e-4f, 0.9f, beta, 1e-8f, decay, step + 1);
  }
  fclose(file);
  gpt2_free(&model);
}

static void write_state(const int *x, const int *y) {
  GPT2 model;
  gpt2_build_from_checkpoint(&model, "gpt2_124M.bin");
  gpt2_forward(&model, (int *)x, (int *)y, kBatch, kTime);
  gpt2_zero_grad(&model);
  gpt2_backward(&model);
  const int header[8] = {20240327, 2, kBatch, kTime};
  FILE *file = start("gpt2_124M_debug_state.bin", header);
  fwrite(x, sizeof(int), kBatch * kTime, file);
  fwrite(y, sizeof(int), kBatch * kTime, file);
  for (int row = 0; row < kBatch * kTime; ++row) fwrite(model.acts.logits + row * kPadded, sizeof(float), kWords, file);
  fwrite(&model.mean_loss, sizeof(float), 1, file);
  fwrite(model.grads_memory, sizeof(float), model.num_parameters, file);
  fclose(file);
  gpt2_free(&model);
}

int main(void) {
  int x[kBatch * kTime], y[kBatch * kTime];
  for (int i = 0; i < kBatch * kTime; ++i) x[i] = (int)(next() % kWords), y[i] = (int)(next() % kWords);
  write_model();
  write_tokens("train.bin");
  write_tokens("val.bin");
  write_state(x, y);
  write_losses("losses_fp32.inc", x, y, 0.999f, 0.01f, 0);
  write_losses("losses.inc", x, y, 0.95f, 0, 1);
  return 0;
}
