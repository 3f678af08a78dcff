// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device ABI: what compiled device code may ask of the engine that runs it.
//
// Three parties read this file: the CUDA headers (device pass), which wrap these functions in CUDA's own names; the
// compiler, which knows them by name; the runtime, which defines them for the reference engine. A function that takes
// `file` and `line` can block its thread: the pair says where, should it never be released.
#pragma once

#ifdef __CUDACC__
#define WARPLOOM_ABI extern "C" __attribute__((device, nothrow))
#define WARPLOOM_ABI_ID extern "C" __attribute__((device, nothrow, const))
#define WARPLOOM_ABI_CONVERGENT extern "C" __attribute__((device, nothrow, convergent))
#else
#define WARPLOOM_ABI extern "C" __attribute__((nothrow, visibility("default")))
#define WARPLOOM_ABI_ID WARPLOOM_ABI
#define WARPLOOM_ABI_CONVERGENT WARPLOOM_ABI
#endif

// Where am I. Constant for one thread of one launch.
WARPLOOM_ABI_ID unsigned __warploom_thread_idx_x(void);
WARPLOOM_ABI_ID unsigned __warploom_thread_idx_y(void);
WARPLOOM_ABI_ID unsigned __warploom_thread_idx_z(void);
WARPLOOM_ABI_ID unsigned __warploom_block_idx_x(void);
WARPLOOM_ABI_ID unsigned __warploom_block_idx_y(void);
WARPLOOM_ABI_ID unsigned __warploom_block_idx_z(void);
WARPLOOM_ABI_ID unsigned __warploom_block_dim_x(void);
WARPLOOM_ABI_ID unsigned __warploom_block_dim_y(void);
WARPLOOM_ABI_ID unsigned __warploom_block_dim_z(void);
WARPLOOM_ABI_ID unsigned __warploom_grid_dim_x(void);
WARPLOOM_ABI_ID unsigned __warploom_grid_dim_y(void);
WARPLOOM_ABI_ID unsigned __warploom_grid_dim_z(void);
WARPLOOM_ABI_ID unsigned __warploom_lane_id(void);
WARPLOOM_ABI_ID unsigned __warploom_warp_id(void);

// The block's shared memory: dynamic shared memory starts here, 128-byte aligned; static variables follow at
// WARPLOOM_STATIC_SHARED_OFFSET plus the image's own offset.
WARPLOOM_ABI_ID char *__warploom_shared_memory(void);
WARPLOOM_ABI_ID unsigned __warploom_dynamic_shared_size(void);
#define WARPLOOM_STATIC_SHARED_OFFSET 262144

// Block barriers: complete when every thread of the block that has not exited waits at one.
WARPLOOM_ABI_CONVERGENT void __warploom_barrier(const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_barrier_count(int predicate, const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_barrier_and(int predicate, const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_barrier_or(int predicate, const char *file, int line);
// A barrier of `count` threads of the block that name the same `id` (PTX bar.sync id, count).
WARPLOOM_ABI_CONVERGENT void __warploom_barrier_named(unsigned id, unsigned count, const char *file, int line);
// Counts as an arrival at such a barrier, without waiting there (PTX bar.arrive id, count).
WARPLOOM_ABI_CONVERGENT void __warploom_barrier_arrive(unsigned id, unsigned count, const char *file, int line);
// All threads of a cooperative launch.
WARPLOOM_ABI_CONVERGENT void __warploom_grid_sync(const char *file, int line);
WARPLOOM_ABI_ID int __warploom_is_cooperative(void);
// The cluster of blocks that the thread's block is part of, one block where none was asked for: its shape; the shared
// memory of the block of that rank (x fastest), null for no such; the rank whose shared memory holds `address`, -1 when
// none's does; the barrier of all its threads.
WARPLOOM_ABI_ID unsigned __warploom_cluster_dim_x(void);
WARPLOOM_ABI_ID unsigned __warploom_cluster_dim_y(void);
WARPLOOM_ABI_ID unsigned __warploom_cluster_dim_z(void);
WARPLOOM_ABI_ID char *__warploom_cluster_shared_memory(unsigned rank);
WARPLOOM_ABI_ID int __warploom_cluster_rank_of(const void *address);
WARPLOOM_ABI_CONVERGENT void __warploom_cluster_sync(const char *file, int line);

// Warp collectives. `mask` names the lanes that take part; each must arrive (exited lanes excepted) at the same
// operation with the same mask. Values of 1 to 8 bytes travel zero-extended in 64 bits.
WARPLOOM_ABI_CONVERGENT void __warploom_syncwarp(unsigned mask, const char *file, int line);
// The lanes that stand at this call once no lane of the warp can run on.
WARPLOOM_ABI_CONVERGENT unsigned __warploom_activemask(const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned long long __warploom_shfl_idx(unsigned mask, unsigned long long value, int lane,
                                                               int width, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned long long __warploom_shfl_up(unsigned mask, unsigned long long value, unsigned delta,
                                                              int width, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned long long __warploom_shfl_down(unsigned mask, unsigned long long value, unsigned delta,
                                                                int width, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned long long __warploom_shfl_xor(unsigned mask, unsigned long long value, int lane_mask,
                                                               int width, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_ballot(unsigned mask, int predicate, const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_any(unsigned mask, int predicate, const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_all(unsigned mask, int predicate, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_match_any(unsigned mask, unsigned long long value, const char *file,
                                                      int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_match_all(unsigned mask, unsigned long long value, int *predicate,
                                                      const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_reduce_add(unsigned mask, unsigned value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_reduce_min_u(unsigned mask, unsigned value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_reduce_max_u(unsigned mask, unsigned value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_reduce_min_s(unsigned mask, int value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT int __warploom_reduce_max_s(unsigned mask, int value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_reduce_and(unsigned mask, unsigned value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_reduce_or(unsigned mask, unsigned value, const char *file, int line);
WARPLOOM_ABI_CONVERGENT unsigned __warploom_reduce_xor(unsigned mask, unsigned value, const char *file, int line);

// A point at which another thread may run: the compiler puts one before each atomic and volatile load, so that a thread
// which spins on another's store lets that other run.
WARPLOOM_ABI void __warploom_spin_point(void);
// Waits while `mask` of the number at `word` is `old`: for the next phase of a barrier in memory.
WARPLOOM_ABI_CONVERGENT void __warploom_phase_wait(const unsigned *word, unsigned mask, unsigned old);
// Ends the launch: threads of one block that were to wait for one phase together wait for different ones.
WARPLOOM_ABI __attribute__((noreturn)) void __warploom_waits_apart(void);
// A volatile access, where code from before __syncwarp takes a warp to run in lock step: for an address in the block's
// shared memory, as __warploom_activemask. An address in the first page is none, but the number of a place of plain
// accesses that need the same: of lanes that wait at several such places those with the lowest number go on.
WARPLOOM_ABI_CONVERGENT void __warploom_lock_step(const volatile void *address);
WARPLOOM_ABI void __warploom_nanosleep(unsigned nanoseconds);

// The compiler tells which thread of its block the code belongs to that runs now, by position or by number: where
// threads are loops, before a call of what may ask.
WARPLOOM_ABI void __warploom_set_thread(unsigned x, unsigned y, unsigned z);
WARPLOOM_ABI void __warploom_set_thread_index(unsigned index);

#ifdef __CUDACC__
// Dot products in 32-bit numbers, added to c, modulo 2^32: of four bytes and four bytes, of two halfwords and the lower
// two bytes of b; u and s say whether a's and b's parts have a sign. The compiler defines them.
WARPLOOM_ABI_ID int __warploom_dot4_ss(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot4_su(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot4_us(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot4_uu(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot2_ss(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot2_su(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot2_us(int a, int b, int c);
WARPLOOM_ABI_ID int __warploom_dot2_uu(int a, int b, int c);
// Of two bfloat16 and two, the upper ones first, added to the float c, all as bits: where no number and no sum is a
// denormal one but 0.
WARPLOOM_ABI_ID int __warploom_dot2_bf16(int a, int b, int c);
#endif

// Time: cycles of a steady counter, and nanoseconds.
WARPLOOM_ABI long long __warploom_clock64(void);
WARPLOOM_ABI unsigned long long __warploom_globaltimer(void);

// Output, and ways to end the whole grid with a sticky error.
WARPLOOM_ABI int __warploom_vprintf(const char *format, __builtin_va_list arguments);
WARPLOOM_ABI __attribute__((noreturn)) void __warploom_assert_fail(const char *expression, const char *file,
                                                                   unsigned line, const char *function);
WARPLOOM_ABI __attribute__((noreturn)) void __warploom_trap(void);
// An access at an address of which the bits of `mask` are not all zero (backend/alignment.py).
WARPLOOM_ABI __attribute__((noreturn)) void __warploom_misaligned(const void *address, unsigned long mask);
// Ends the grid if a GPU would not make an access there (backend/strict_accesses.py).
WARPLOOM_ABI void __warploom_check_access(const void *address, unsigned long mask, int writes);
// End this thread (PTX exit).
WARPLOOM_ABI __attribute__((noreturn)) void __warploom_exit_thread(void);

// The device heap (device malloc and free).
WARPLOOM_ABI void *__warploom_malloc(unsigned long size);
WARPLOOM_ABI void __warploom_free(void *pointer);
