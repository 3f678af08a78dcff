// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaCreateChannelDesc<T>(): the channel descriptor of a texel type.
#ifndef WARPLOOM_CHANNEL_DESCRIPTOR_H
#define WARPLOOM_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define WARPLOOM_CHANNEL(T, COUNT, BITS, KIND)                                                                       \
  template <>                                                                                                        \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                                                          \
    return cudaCreateChannelDesc(BITS, (COUNT) > 1 ? (BITS) : 0, (COUNT) > 2 ? (BITS) : 0, (COUNT) > 3 ? (BITS) : 0, \
                                 cudaChannelFormatKind##KIND);                                                       \
  }
#define WARPLOOM_CHANNELS(T, BITS, KIND) \
  WARPLOOM_CHANNEL(T##1, 1, BITS, KIND)  \
  WARPLOOM_CHANNEL(T##2, 2, BITS, KIND) WARPLOOM_CHANNEL(T##3, 3, BITS, KIND) WARPLOOM_CHANNEL(T##4, 4, BITS, KIND)

WARPLOOM_CHANNEL(char, 1, 8, Signed)
WARPLOOM_CHANNEL(signed char, 1, 8, Signed)
WARPLOOM_CHANNEL(unsigned char, 1, 8, Unsigned)
WARPLOOM_CHANNEL(short, 1, 16, Signed)
WARPLOOM_CHANNEL(unsigned short, 1, 16, Unsigned)
WARPLOOM_CHANNEL(int, 1, 32, Signed)
WARPLOOM_CHANNEL(unsigned int, 1, 32, Unsigned)
WARPLOOM_CHANNEL(float, 1, 32, Float)
WARPLOOM_CHANNELS(char, 8, Signed)
WARPLOOM_CHANNELS(uchar, 8, Unsigned)
WARPLOOM_CHANNELS(short, 16, Signed)
WARPLOOM_CHANNELS(ushort, 16, Unsigned)
WARPLOOM_CHANNELS(int, 32, Signed)
WARPLOOM_CHANNELS(uint, 32, Unsigned)
WARPLOOM_CHANNELS(float, 32, Float)

#undef WARPLOOM_CHANNELS
#undef WARPLOOM_CHANNEL

inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#endif

#endif
