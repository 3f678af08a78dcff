// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by scripts/fit_polynomials.py from the table in scripts/polynomial_table.py: do not edit.
// Lowest coefficient first; the comment gives the largest weighted error, as a power of two.
#pragma once

// clang-format off
namespace warploom_math {

// (exp(r) - 1 - r) / r^2, relative to exp(r), 2^-28.0
constexpr float exp_f32[] = {
    0x1.0000000000000p-1f, 0x1.5554a40000000p-3f, 0x1.5556940000000p-5f, 0x1.122f420000000p-7f,
    0x1.6b5efe0000000p-10f,
};

// (exp(r) - 1 - r) / r^2, relative to exp(r), 2^-56.4
constexpr double exp_f64[] = {
    0x1.0000000000000p-1, 0x1.5555555555501p-3, 0x1.55555555535fdp-5, 0x1.1111111122956p-7,
    0x1.6c16c17bdbdccp-10, 0x1.a01a014a44279p-13, 0x1.a019ad4e7722fp-16, 0x1.71dee1275b481p-19,
    0x1.289de8e16fed1p-22, 0x1.addf235cf5349p-26,
};

// (exp(r) - 1 - r) / r^2, relative to exp(r) - 1, 2^-26.1
constexpr float expm1_f32[] = {
    0x1.0000000000000p-1f, 0x1.5554b60000000p-3f, 0x1.5555a80000000p-5f, 0x1.1224080000000p-7f,
    0x1.6c6a6e0000000p-10f,
};

// (exp(r) - 1 - r) / r^2, relative to exp(r) - 1, 2^-61.4
constexpr double expm1_f64[] = {
    0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f71bp-7,
    0x1.6c16c16c169dfp-10, 0x1.a01a01af8f641p-13, 0x1.a01a019ce35bep-16, 0x1.71ddf9621f15dp-19,
    0x1.27e4fd61c8c4bp-22, 0x1.af5cb7840838ap-26, 0x1.1f2fedcce70afp-29,
};

// (2^r - 1) / r, relative to 2^r, 2^-27.0
constexpr float exp2_f32[] = {
    0x1.62e4300000000p-1f, 0x1.ebfbde0000000p-3f, 0x1.c6af780000000p-5f, 0x1.3b2ba00000000p-7f,
    0x1.5f171a0000000p-10f, 0x1.4370b00000000p-13f,
};

// (2^r - 1) / r, relative to 2^r, 2^-57.5
constexpr double exp2_f64[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c59cp-3, 0x1.c6b08d704a0d4p-5, 0x1.3b2ab6fba126bp-7,
    0x1.5d87fe78b3f31p-10, 0x1.4309130bd9410p-13, 0x1.ffcbfbf658cfcp-17, 0x1.62bfce6184e0ep-20,
    0x1.b526159eeb739p-24, 0x1.e6109361df79ap-28, 0x1.e7fe8df50b372p-32,
};

// 2^r, relative, 2^-23.1
constexpr float exp2_fast_f32[] = {
    0x1.0000000000000p+0f, 0x1.62e42a0000000p-1f, 0x1.ebf9c40000000p-3f, 0x1.c6b63c0000000p-5f,
    0x1.3ce8de0000000p-7f, 0x1.5c4c8e0000000p-10f,
};

// (10^r - 1) / r, relative to 10^r, 2^-27.0
constexpr float exp10_f32[] = {
    0x1.26bb1c0000000p+1f, 0x1.53524c0000000p+1f, 0x1.046fa40000000p+1f, 0x1.2bd7220000000p+0f,
    0x1.156c740000000p-1f, 0x1.a9812c0000000p-3f,
};

// (10^r - 1) / r, relative to 10^r, 2^-57.5
constexpr double exp10_f64[] = {
    0x1.26bb1bbb55516p+1, 0x1.53524c73cea6fp+1, 0x1.0470591de2b7bp+1, 0x1.2bd7609fd66bep+0,
    0x1.1429ffd210f56p-1, 0x1.a7ed709c6e33cp-3, 0x1.16e4df1a15296p-4, 0x1.411666b22b03ap-6,
    0x1.489963863a1e2p-8, 0x1.2f6b7dc44a7f9p-10, 0x1.f85a29130e4bfp-13,
};

// (log(1 + f) - f) / f^2, relative to log(1 + f), 2^-27.5
constexpr float log_f32[] = {
    -0x1.0000000000000p-1f, 0x1.5555a40000000p-2f, -0x1.00004a0000000p-2f, 0x1.9969740000000p-3f,
    -0x1.54ec3e0000000p-3f, 0x1.2880380000000p-3f, -0x1.0daefc0000000p-3f, 0x1.ad71460000000p-4f,
    -0x1.72ad460000000p-5f,
};

// (log(1 + f) - f) / f^2, relative to log(1 + f), 2^-61.5
constexpr double log_f64[] = {
    -0x1.0000000000000p-1, 0x1.5555555555551p-2, -0x1.fffffffffffbbp-3, 0x1.999999999a83ap-3,
    -0x1.555555555b20dp-3, 0x1.249249240f690p-3, -0x1.fffffff97da58p-4, 0x1.c71c720951584p-4,
    -0x1.99999b824d172p-4, 0x1.745d0f7b46022p-4, -0x1.5555057ad8f90p-4, 0x1.3b13edc362838p-4,
    -0x1.24998af8db021p-4, 0x1.111afa78ab4fep-4, -0x1.ff57b8eef3551p-5, 0x1.dfaf510048765p-5,
    -0x1.c8db9379f9d50p-5, 0x1.c334b2e8a10fbp-5, -0x1.b855e1ec6d4b0p-5, 0x1.683252c521304p-5,
    -0x1.89f9e57424911p-6, 0x1.96900812cad9cp-8,
};

// (log2(1 + f) - f/ln2) / f^2, relative to log2(1 + f), 2^-27.4
constexpr float log2_f32[] = {
    -0x1.7154700000000p-1f, 0x1.ec70940000000p-2f, -0x1.715afe0000000p-2f, 0x1.277f420000000p-2f,
    -0x1.eaa2360000000p-3f, 0x1.a2ca7a0000000p-3f, -0x1.87f99c0000000p-3f, 0x1.7f21820000000p-3f,
    -0x1.c38d7a0000000p-4f,
};

// (log2(1 + f) - f/ln2) / f^2, relative to log2(1 + f), 2^-55.9
constexpr double log2_f64[] = {
    -0x1.71547652b82fep-1, 0x1.ec709dc3a0403p-2, -0x1.71547652b839bp-2, 0x1.2776c50ef7d94p-2,
    -0x1.ec709dc39269dp-3, 0x1.a61762ab444ddp-3, -0x1.715476587ee7bp-3, 0x1.484b1281f43abp-3,
    -0x1.2776c316c2fc2p-3, 0x1.0c9ac53e27d1ap-3, -0x1.ec7181b90d83ep-4, 0x1.c68192f9696d0p-4,
    -0x1.a5f91020693d7p-4, 0x1.8acb8ec394905p-4, -0x1.73ab72d5f22f8p-4, 0x1.547b488afa570p-4,
    -0x1.2e0dec8fe9e84p-4, 0x1.4de3e3bd24a72p-4, -0x1.bf86f3f5749edp-4, 0x1.5821d4ee3cf4bp-4,
    0x1.95a01628ab09bp-7, -0x1.580adf94f1d0dp-5,
};

// (log10(1 + f) - f/ln10) / f^2, relative to log10(1 + f), 2^-24.5
constexpr float log10_f32[] = {
    -0x1.bcb7b20000000p-3f, 0x1.287aac0000000p-3f, -0x1.bcb6a20000000p-4f, 0x1.6390ae0000000p-4f,
    -0x1.2866a20000000p-4f, 0x1.035ad80000000p-4f, -0x1.d1a8da0000000p-5f, 0x1.540baa0000000p-5f,
    -0x1.f103380000000p-7f,
};

// (log10(1 + f) - f/ln10) / f^2, relative to log10(1 + f), 2^-61.4
constexpr double log10_f64[] = {
    -0x1.bcb7b1526e50ep-3, 0x1.287a7636f435ep-3, -0x1.bcb7b1526e590p-4, 0x1.63c62775257b8p-4,
    -0x1.287a7636f20ffp-4, 0x1.fc3fa61465e20p-5, -0x1.bcb7b150fecf7p-5, 0x1.8b4df327cecc5p-5,
    -0x1.63c6286e6c3e9p-5, 0x1.436e4b4143a8fp-5, -0x1.287a40d2ba25ep-5, 0x1.11ac75315b3e4p-5,
    -0x1.fc4ac83af000bp-6, 0x1.da68de5fbd073p-6, -0x1.bc29bdc83ed8ep-6, 0x1.a0dc3255d8683p-6,
    -0x1.8d1a8747a35eep-6, 0x1.876bd75f5c9cfp-6, -0x1.7c8ba0f85263fp-6, 0x1.367dbafc47909p-6,
    -0x1.53a3e42230b4ap-7, 0x1.5f4960e4029cbp-9,
};

// log2(1 + f) / f, relative, 2^-21.3
constexpr float log2_fast_f32[] = {
    0x1.71547a0000000p+0f, -0x1.7155260000000p-1f, 0x1.ec64260000000p-2f, -0x1.70fb420000000p-2f,
    0x1.28e8000000000p-2f, -0x1.004aa60000000p-2f, 0x1.a326a60000000p-3f, -0x1.9026c40000000p-4f,
};

// (log((1+s)/(1-s)) / (2s) - 1 - s^2/3) / s^4, z = s^2, 2^-75.6
constexpr double log_atanh_f64[] = {
    0x1.999999999999ap-3, 0x1.2492492492357p-3, 0x1.c71c71c7482a8p-4, 0x1.745d172d2ed15p-4,
    0x1.3b13b949ff9a0p-4, 0x1.110f71ea13b9fp-4, 0x1.e24a156536c98p-5, 0x1.a73cf7bb6e9dep-5,
    0x1.da834455a4880p-5,
};

// (log((1+s)/(1-s)) / (2s) - 1) / s^2, z = s^2, 2^-35.2
constexpr float log_atanh_f32[] = {
    0x1.5555540000000p-2f, 0x1.999c0c0000000p-3f, 0x1.23e0440000000p-3f, 0x1.ee9f600000000p-4f,
};

// (sin(r) - r) / r^3, z = r^2, 2^-32.5
constexpr float sin_f32[] = {
    -0x1.5555560000000p-3f, 0x1.1111740000000p-7f, -0x1.a059540000000p-13f, 0x1.7c2c420000000p-19f,
};

// (sin(r) - r) / r^3, z = r^2, 2^-63.2
constexpr double sin_f64[] = {
    -0x1.5555555555555p-3, 0x1.1111111111068p-7, -0x1.a01a019ffe08ep-13, 0x1.71de3a332cbe4p-19,
    -0x1.ae642b9a6d7bap-26, 0x1.61093b23d7928p-33, -0x1.9fb723ef7098dp-41,
};

// (cos(r) - 1 + z/2) / z^2, z = r^2, 2^-33.0
constexpr float cos_f32[] = {
    0x1.55554a0000000p-5f, -0x1.6c0c280000000p-10f, 0x1.99e80c0000000p-16f,
};

// (cos(r) - 1 + z/2) / z^2, z = r^2, 2^-69.0
constexpr double cos_f64[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16b30p-10, 0x1.a01a019ffcb75p-16, -0x1.27e4fb5a1ee38p-22,
    0x1.1eed6f7dfc73dp-29, -0x1.93744f570893ep-37, 0x1.9dac5427e7d21p-45,
};

// sin(r)/r on [0, pi/2], z = r^2, relative to 1, 2^-27.6
constexpr float sin_fast_f32[] = {
    0x1.0000000000000p+0f, -0x1.5555480000000p-3f, 0x1.110e580000000p-7f, -0x1.9f5cec0000000p-13f,
    0x1.5cd2520000000p-19f,
};

// (tan(r) - r) / r^3, z = r^2, 2^-29.6
constexpr float tan_f32[] = {
    0x1.5555600000000p-2f, 0x1.110d9e0000000p-3f, 0x1.bad9c00000000p-5f, 0x1.5cc0fc0000000p-6f,
    0x1.62ca120000000p-7f, 0x1.9cf2340000000p-14f, 0x1.1e8faa0000000p-8f,
};

// (tan(r) - r) / r^3, z = r^2, 2^-60.0
constexpr double tan_f64[] = {
    0x1.555555555555dp-2, 0x1.11111111106dcp-3, 0x1.ba1ba1bab24eep-5, 0x1.664f485fbf9ffp-6,
    0x1.226e3a3060f85p-7, 0x1.d6d2f48dbe339p-9, 0x1.7db0db7b31db4p-10, 0x1.34c30200b5a6fp-11,
    0x1.fecd06be11fcep-13, 0x1.6068916117f1dp-14, 0x1.1672b328d2ecbp-14, -0x1.9c73e00aa79ddp-16,
    0x1.90ab7de4e933bp-15, -0x1.90065d8d1632ep-16, 0x1.459846b17907dp-17,
};

// (sin(pi r)/r - pi) / z, z = r^2, relative, 2^-27.9
constexpr float sinpi_f32[] = {
    -0x1.4abbbe0000000p+2f, 0x1.465fac0000000p+1f, -0x1.2db5d20000000p-1f,
};

// (sin(pi r)/r - pi) / z, z = r^2, relative, 2^-63.5
constexpr double sinpi_f64[] = {
    -0x1.4abbce625be53p+2, 0x1.466bc6775ab7cp+1, -0x1.32d2cce63af80p-1, 0x1.5078349d9dce3p-4,
    -0x1.e3076ec868650p-8, 0x1.e908d7012f3ebp-12, -0x1.73d4b83b14645p-16,
};

// (cos(pi r) - 1) / z, z = r^2, relative, 2^-31.1
constexpr float cospi_f32[] = {
    -0x1.3bd3cc0000000p+2f, 0x1.03c1b00000000p+2f, -0x1.55b2b60000000p+0f, 0x1.d4f7f00000000p-3f,
};

// (cos(pi r) - 1) / z, z = r^2, relative, 2^-61.8
constexpr double cospi_f64[] = {
    -0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5a38p+2, -0x1.55d3c7e3b99d7p+0, 0x1.e1f506643fca5p-3,
    -0x1.a6d1cafb1cb0ap-6, 0x1.f9a48942f9f0bp-10, -0x1.99f2894e034e2p-14, -0x1.86885649c4c86p-16,
};

// (asin(s) - s) / s^3, z = s^2, 2^-27.6
constexpr float asin_f32[] = {
    0x1.5555c80000000p-3f, 0x1.3302040000000p-4f, 0x1.747bba0000000p-5f, 0x1.8c3e260000000p-6f,
    0x1.595c940000000p-5f,
};

// (asin(s) - s) / s^3, z = s^2, 2^-59.9
constexpr double asin_f64[] = {
    0x1.5555555555577p-3, 0x1.333333332e133p-4, 0x1.6db6db72124aap-5, 0x1.f1c71a94fec98p-6,
    0x1.6e8bdedee92c2p-6, 0x1.1c49f0748c17cp-6, 0x1.ca1f8b53c0ba4p-7, 0x1.758599a0c46ccp-7,
    0x1.613c3bb67eed2p-7, 0x1.e5f9badad20e6p-9, 0x1.639b593236ad6p-6, -0x1.57fc2ff69d4b1p-6,
    0x1.0b4669f52a870p-5,
};

// (atan(s) - s) / s^3, z = s^2, 2^-31.7
constexpr float atan_f32[] = {
    -0x1.5555520000000p-2f, 0x1.9997420000000p-3f, -0x1.244ff60000000p-3f, 0x1.c06dcc0000000p-4f,
    -0x1.47f97e0000000p-4f, 0x1.3f989e0000000p-5f,
};

// (atan(s) - s) / s^3, z = s^2, 2^-65.7
constexpr double atan_f64[] = {
    -0x1.5555555555555p-2, 0x1.99999999998acp-3, -0x1.249249248b0a7p-3, 0x1.c71c71c3888e4p-4,
    -0x1.745d16bf78091p-4, 0x1.3b13a4707a631p-4, -0x1.11103b8b707afp-4, 0x1.e1ce2a966d43dp-5,
    -0x1.ae802c709d9f4p-5, 0x1.820270cc68d54p-5, -0x1.51acaeb2749f7p-5, 0x1.0b34a41b977ccp-5,
    -0x1.45dbce2dc27dcp-6, 0x1.b124435b683fcp-8,
};

// (sinh(x) - x) / x^3, z = x^2, 2^-25.3
constexpr float sinh_f32[] = {
    0x1.5555980000000p-3f, 0x1.10f7600000000p-7f, 0x1.ab42880000000p-13f,
};

// (sinh(x) - x) / x^3, z = x^2, 2^-61.8
constexpr double sinh_f64[] = {
    0x1.5555555555556p-3, 0x1.111111111101ep-7, 0x1.a01a01a037262p-13, 0x1.71de3a3b07941p-19,
    0x1.ae646ff3eda48p-26, 0x1.6116f53f9617ep-33, 0x1.b5c857e5076eap-41,
};

// (tanh(x) - x) / x^3, z = x^2, 2^-28.4
constexpr float tanh_f32[] = {
    -0x1.55553e0000000p-2f, 0x1.1109be0000000p-3f, -0x1.b89ab20000000p-5f, 0x1.54c34a0000000p-6f,
    -0x1.82840c0000000p-8f,
};

// (tanh(x) - x) / x^3, z = x^2, 2^-64.9
constexpr double tanh_f64[] = {
    -0x1.5555555555555p-2, 0x1.111111111108ep-3, -0x1.ba1ba1ba12d5ep-5, 0x1.664f48806045ap-6,
    -0x1.226e34fd6739dp-7, 0x1.d6d3bd0746d1dp-9, -0x1.7da2057bbe5b7p-10, 0x1.35475448714a7p-11,
    -0x1.f45b571c1a959p-13, 0x1.8f9ded1b51c90p-14, -0x1.2c8ac2f9d4beep-15, 0x1.71950441eeaefp-17,
    -0x1.03aa96aa8070dp-19,
};

// (asinh(x) - x) / x^3, z = x^2, 2^-33.9
constexpr float asinh_f32[] = {
    -0x1.5555540000000p-3f, 0x1.33323a0000000p-4f, -0x1.6d7eb80000000p-5f, 0x1.ec11600000000p-6f,
    -0x1.487b000000000p-6f, 0x1.2f47240000000p-7f,
};

// (asinh(x) - x) / x^3, z = x^2, 2^-64.5
constexpr double asinh_f64[] = {
    -0x1.5555555555554p-3, 0x1.3333333332fe6p-4, -0x1.6db6db6d89176p-5, 0x1.f1c71c5dc692dp-6,
    -0x1.6e8ba0532f15cp-6, 0x1.1c4e8dd292fecp-6, -0x1.c9935ed8a5040p-7, 0x1.7a4875858ce7cp-7,
    -0x1.3e1881a4baaeap-7, 0x1.09d5e71c22f61p-7, -0x1.9d145b91e3996p-8, 0x1.fe51f5a072c61p-9,
    -0x1.60758640a832dp-10,
};

}  // namespace warploom_math
// clang-format on
