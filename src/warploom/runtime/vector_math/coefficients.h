// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by scripts/fit_polynomials.py from the table in scripts/polynomial_table.py: do not edit.
// Lowest coefficient first; the comment gives the largest weighted error, as a power of two.
#pragma once

// clang-format off
namespace warploom_math {

// (exp(r) - 1 - r) / r^2, relative to exp(r), 2^-28.0
constexpr float exp_f32[] = {
    0x1.0000000000000p-1f, 0x1.5554a40000000p-3f, 0x1.5556940000000p-5f, 0x1.122f280000000p-7f,
    0x1.6b626e0000000p-10f,
};

// (exp(r) - 1 - r) / r^2, relative to exp(r), 2^-57.3
constexpr double exp_f64[] = {
    0x1.0000000000000p-1, 0x1.5555555555501p-3, 0x1.5555555553211p-5, 0x1.1111111128917p-7,
    0x1.6c16c17cc047bp-10, 0x1.a01a011be987dp-13, 0x1.a019ab35d81e2p-16, 0x1.71df55bc285eep-19,
    0x1.289f826b5c1a4p-22, 0x1.ad1f62fb1076cp-26,
};

// (exp(r) - 1 - r) / r^2, relative to exp(r) - 1, 2^-26.1
constexpr float expm1_f32[] = {
    0x1.0000000000000p-1f, 0x1.5554b60000000p-3f, 0x1.5555a80000000p-5f, 0x1.1224360000000p-7f,
    0x1.6c6f960000000p-10f,
};

// (exp(r) - 1 - r) / r^2, relative to exp(r) - 1, 2^-61.4
constexpr double expm1_f64[] = {
    0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f71bp-7,
    0x1.6c16c16c169dfp-10, 0x1.a01a01af8f641p-13, 0x1.a01a019ce35bep-16, 0x1.71ddf9621f15dp-19,
    0x1.27e4fd61c8c4bp-22, 0x1.af5cb7840838ap-26, 0x1.1f2fedcce70afp-29,
};

// (2^r - 1) / r, relative to 2^r, 2^-28.0
constexpr float exp2_f32[] = {
    0x1.62e4300000000p-1f, 0x1.ebfbde0000000p-3f, 0x1.c6af780000000p-5f, 0x1.3b2c400000000p-7f,
    0x1.5f0afa0000000p-10f, 0x1.428f0c0000000p-13f,
};

// (2^r - 1) / r, relative to 2^r, 2^-57.8
constexpr double exp2_f64[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c59cp-3, 0x1.c6b08d704a0d4p-5, 0x1.3b2ab6fba11f0p-7,
    0x1.5d87fe78b3bc3p-10, 0x1.4309130c02921p-13, 0x1.ffcbfbf8af1a9p-17, 0x1.62bfcdda54a6fp-20,
    0x1.b5260ddbb564ap-24, 0x1.e611a7c3f7830p-28, 0x1.e80e8a58481c2p-32,
};

// 2^r, relative, 2^-23.1
constexpr float exp2_fast_f32[] = {
    0x1.0000000000000p+0f, 0x1.62e42a0000000p-1f, 0x1.ebf9bc0000000p-3f, 0x1.c6b7540000000p-5f,
    0x1.3cea8e0000000p-7f, 0x1.5bbaa60000000p-10f,
};

// 2^r, relative, 2^-23.5
constexpr float exp2_fraction_f32[] = {
    0x1.0000000000000p+0f, 0x1.62e4ba0000000p-1f, 0x1.ebdb6a0000000p-3f, 0x1.c91c0e0000000p-5f,
    0x1.277c3a0000000p-7f, 0x1.e9686a0000000p-10f,
};

// (10^r - 1) / r, relative to 10^r, 2^-28.2
constexpr float exp10_f32[] = {
    0x1.26bb1c0000000p+1f, 0x1.53524c0000000p+1f, 0x1.046fa40000000p+1f, 0x1.2bd8b60000000p+0f,
    0x1.1564f80000000p-1f, 0x1.a70ba00000000p-3f,
};

// (10^r - 1) / r, relative to 10^r, 2^-57.4
constexpr double exp10_f64[] = {
    0x1.26bb1bbb55516p+1, 0x1.53524c73cea6fp+1, 0x1.0470591de2b7bp+1, 0x1.2bd7609fd666cp+0,
    0x1.1429ffd211084p-1, 0x1.a7ed709c92a9ap-3, 0x1.16e4df1a0a905p-4, 0x1.41166662edaafp-6,
    0x1.4899631f18350p-8, 0x1.2f6be82dd8edep-10, 0x1.f85b89fe5a771p-13,
};

// (log(1 + f) - f) / f^2, relative to log(1 + f), 2^-27.5
constexpr float log_f32[] = {
    -0x1.0000000000000p-1f, 0x1.5555a40000000p-2f, -0x1.00004a0000000p-2f, 0x1.9969740000000p-3f,
    -0x1.54ec3e0000000p-3f, 0x1.2880380000000p-3f, -0x1.0daefc0000000p-3f, 0x1.ad71460000000p-4f,
    -0x1.72ad460000000p-5f,
};

// (log(1 + f) - f) / f^2, relative to log(1 + f), 2^-60.7
constexpr double log_f64[] = {
    -0x1.0000000000000p-1, 0x1.5555555555551p-2, -0x1.fffffffffffc0p-3, 0x1.999999999a8b2p-3,
    -0x1.555555555b722p-3, 0x1.2492492409b89p-3, -0x1.fffffff8fec47p-4, 0x1.c71c720ba9cacp-4,
    -0x1.99999ba27b713p-4, 0x1.745d0f606dc19p-4, -0x1.555501965d3b0p-4, 0x1.3b13e8a48cfb6p-4,
    -0x1.2499c5355f262p-4, 0x1.111baed0279d8p-4, -0x1.ff557ece373f7p-5, 0x1.df9f4388620eep-5,
    -0x1.c8cbb68e62a5bp-5, 0x1.c36600371d3e5p-5, -0x1.b8ed359131bdcp-5, 0x1.68d5c04d18f5ep-5,
    -0x1.8a87f70376a70p-6, 0x1.96bcda1fefad6p-8,
};

// (log2(1 + f) - f/ln2) / f^2, relative to log2(1 + f), 2^-27.6
constexpr float log2_f32[] = {
    -0x1.7154700000000p-1f, 0x1.ec70940000000p-2f, -0x1.715afe0000000p-2f, 0x1.277f460000000p-2f,
    -0x1.eaa27c0000000p-3f, 0x1.a2c9c20000000p-3f, -0x1.87f5ae0000000p-3f, 0x1.7f27c40000000p-3f,
    -0x1.c3a7740000000p-4f,
};

// (log2(1 + f) - f/ln2) / f^2, relative to log2(1 + f), 2^-60.8
constexpr double log2_f64[] = {
    -0x1.71547652b82fep-1, 0x1.ec709dc3a0402p-2, -0x1.71547652b83a9p-2, 0x1.2776c50ef9482p-2,
    -0x1.ec709dc38b32fp-3, 0x1.a61762a828134p-3, -0x1.7154765be225cp-3, 0x1.484b13bd6a023p-3,
    -0x1.2776c2e9cab5ep-3, 0x1.0c9a86cc199aep-3, -0x1.ec713541216aap-4, 0x1.c68f7f4e418b5p-4,
    -0x1.a60aa7085acb6p-4, 0x1.89e37a08b5b9dp-4, -0x1.71f88af3cac6ap-4, 0x1.5d0305363c7efp-4,
    -0x1.43dacbe36727ap-4, 0x1.27d5bcf1c0e16p-4, -0x1.30cb2c07eea41p-4, 0x1.68076d7db2482p-4,
    -0x1.470661490da76p-4, 0x1.13412526e69a1p-5,
};

// (log10(1 + f) - f/ln10) / f^2, relative to log10(1 + f), 2^-26.6
constexpr float log10_f32[] = {
    -0x1.bcb7b20000000p-3f, 0x1.287aac0000000p-3f, -0x1.bcb6a20000000p-4f, 0x1.639d520000000p-4f,
    -0x1.284e900000000p-4f, 0x1.01dd340000000p-4f, -0x1.d1f3180000000p-5f, 0x1.6c45740000000p-5f,
    -0x1.33bc580000000p-6f,
};

// (log10(1 + f) - f/ln10) / f^2, relative to log10(1 + f), 2^-59.1
constexpr double log10_f64[] = {
    -0x1.bcb7b1526e50ep-3, 0x1.287a7636f435ep-3, -0x1.bcb7b1526e590p-4, 0x1.63c62775257c9p-4,
    -0x1.287a7636f21ebp-4, 0x1.fc3fa614655c6p-5, -0x1.bcb7b150ef385p-5, 0x1.8b4df327b6f0cp-5,
    -0x1.63c628715cc07p-5, 0x1.436e4b4d49c30p-5, -0x1.287a4097d8fadp-5, 0x1.11ac7388b3055p-5,
    -0x1.fc4ac979d6daep-6, 0x1.da6912883b70ap-6, -0x1.bc2a1a70db3c4p-6, 0x1.a0daff04a79efp-6,
    -0x1.8d1576dd3bb0fp-6, 0x1.876909600de41p-6, -0x1.7c9cc61983fb1p-6, 0x1.36a74c30c350ep-6,
    -0x1.53f1b254e961cp-7, 0x1.5fb7fb62bbba1p-9,
};

// log2(1 + f) / f, relative, 2^-24.8
constexpr float log2_fast_f32[] = {
    0x1.7154760000000p+0f, -0x1.7154900000000p-1f, 0x1.ec71a40000000p-2f, -0x1.713d340000000p-2f,
    0x1.27201c0000000p-2f, -0x1.f0ec7c0000000p-3f, 0x1.ba731e0000000p-3f, -0x1.6471f20000000p-3f,
    0x1.40155e0000000p-4f,
};

// (log((1+s)/(1-s)) / (2s) - 1 - s^2/3) / s^4, z = s^2, 2^-73.3
constexpr double log_atanh_f64[] = {
    0x1.9999999999995p-3, 0x1.2492492493192p-3, 0x1.c71c71c55743cp-4, 0x1.745d1845e4a0ep-4,
    0x1.3b135d893f183p-4, 0x1.11217b299d807p-4, 0x1.de145d4a504d3p-5, 0x1.ec11d406b4225p-5,
};

// (log((1+s)/(1-s)) / (2s) - 1) / s^2, z = s^2, 2^-35.2
constexpr float log_atanh_f32[] = {
    0x1.5555540000000p-2f, 0x1.999c260000000p-3f, 0x1.23d3e20000000p-3f, 0x1.f13a240000000p-4f,
};

// (sin(r) - r) / r^3, z = r^2, 2^-32.5
constexpr float sin_f32[] = {
    -0x1.5555560000000p-3f, 0x1.1111740000000p-7f, -0x1.a059540000000p-13f, 0x1.7c2c760000000p-19f,
};

// (sin(r) - r) / r^3, z = r^2, 2^-63.2
constexpr double sin_f64[] = {
    -0x1.5555555555555p-3, 0x1.1111111111068p-7, -0x1.a01a019ffe089p-13, 0x1.71de3a332beb6p-19,
    -0x1.ae642b98dcb1cp-26, 0x1.610939e7e76afp-33, -0x1.9fb672ca24b8cp-41,
};

// (cos(r) - 1 + z/2) / z^2, z = r^2, 2^-33.0
constexpr float cos_f32[] = {
    0x1.55554a0000000p-5f, -0x1.6c0c280000000p-10f, 0x1.99e8060000000p-16f,
};

// (cos(r) - 1 + z/2) / z^2, z = r^2, 2^-68.9
constexpr double cos_f64[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16b30p-10, 0x1.a01a019ffcb75p-16, -0x1.27e4fb5a1eefdp-22,
    0x1.1eed6f7e1a426p-29, -0x1.93744f9264ebdp-37, 0x1.9dac7dc3245cep-45,
};

// sin(r)/r on [0, pi/2], z = r^2, relative to 1, 2^-27.6
constexpr float sin_fast_f32[] = {
    0x1.0000000000000p+0f, -0x1.5555480000000p-3f, 0x1.110e580000000p-7f, -0x1.9f5cec0000000p-13f,
    0x1.5cd2520000000p-19f,
};

// (tan(r) - r) / r^3, z = r^2, 2^-29.4
constexpr float tan_f32[] = {
    0x1.5555600000000p-2f, 0x1.110da00000000p-3f, 0x1.bad94a0000000p-5f, 0x1.5cc62e0000000p-6f,
    0x1.62ae420000000p-7f, 0x1.aece2c0000000p-14f, 0x1.1e6c380000000p-8f,
};

// (tan(r) - r) / r^3, z = r^2, 2^-59.5
constexpr double tan_f64[] = {
    0x1.555555555555dp-2, 0x1.11111111106dcp-3, 0x1.ba1ba1bab2508p-5, 0x1.664f485fbf4a0p-6,
    0x1.226e3a306ae46p-7, 0x1.d6d2f48c47d88p-9, 0x1.7db0db8df36fep-10, 0x1.34c301573e707p-11,
    0x1.fecd0f52f69b4p-13, 0x1.60686947b333fp-14, 0x1.1672f622df07cp-14, -0x1.9c75181301598p-16,
    0x1.90abf63e329ffp-15, -0x1.9006cc0d3b469p-16, 0x1.45987465ebadcp-17,
};

// (sin(pi r)/r - pi) / z, z = r^2, relative, 2^-27.9
constexpr float sinpi_f32[] = {
    -0x1.4abbbe0000000p+2f, 0x1.465fac0000000p+1f, -0x1.2db5980000000p-1f,
};

// (sin(pi r)/r - pi) / z, z = r^2, relative, 2^-63.5
constexpr double sinpi_f64[] = {
    -0x1.4abbce625be53p+2, 0x1.466bc6775ab7cp+1, -0x1.32d2cce63af80p-1, 0x1.5078349d9db97p-4,
    -0x1.e3076ec81d588p-8, 0x1.e908d69487719p-12, -0x1.73d481c59e7bfp-16,
};

// (cos(pi r) - 1) / z, z = r^2, relative, 2^-31.1
constexpr float cospi_f32[] = {
    -0x1.3bd3cc0000000p+2f, 0x1.03c1b00000000p+2f, -0x1.55b2b60000000p+0f, 0x1.d4f78a0000000p-3f,
};

// (cos(pi r) - 1) / z, z = r^2, relative, 2^-61.8
constexpr double cospi_f64[] = {
    -0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5a38p+2, -0x1.55d3c7e3b99d7p+0, 0x1.e1f506643fd17p-3,
    -0x1.a6d1cafb2f394p-6, 0x1.f9a4896e16137p-10, -0x1.99f2b75094b5dp-14, -0x1.8683c0f05706cp-16,
};

// (asin(s) - s) / s^3, z = s^2, 2^-27.6
constexpr float asin_f32[] = {
    0x1.5555c80000000p-3f, 0x1.3302040000000p-4f, 0x1.747bb60000000p-5f, 0x1.8c3e700000000p-6f,
    0x1.595c340000000p-5f,
};

// (asin(s) - s) / s^3, z = s^2, 2^-59.8
constexpr double asin_f64[] = {
    0x1.5555555555577p-3, 0x1.333333332e133p-4, 0x1.6db6db7212498p-5, 0x1.f1c71a94ffaa3p-6,
    0x1.6e8bdedec58a0p-6, 0x1.1c49f077ae54dp-6, 0x1.ca1f8afc4d400p-7, 0x1.75859cbc8f9ffp-7,
    0x1.613c28ec8ddf1p-7, 0x1.e5fae6219ec15p-9, 0x1.639afaed164cep-6, -0x1.57fba7d27e154p-6,
    0x1.0b463f1432eb8p-5,
};

// (atan(s) - s) / s^3, z = s^2, 2^-31.6
constexpr float atan_f32[] = {
    -0x1.5555520000000p-2f, 0x1.9997420000000p-3f, -0x1.244ff60000000p-3f, 0x1.c06dd60000000p-4f,
    -0x1.47f9bc0000000p-4f, 0x1.3f99820000000p-5f,
};

// (atan(s) - s) / s^3, z = s^2, 2^-62.0
constexpr double atan_f64[] = {
    -0x1.5555555555555p-2, 0x1.99999999998acp-3, -0x1.249249248b0a7p-3, 0x1.c71c71c38886dp-4,
    -0x1.745d16bf76513p-4, 0x1.3b13a47042897p-4, -0x1.11103b870fdf4p-4, 0x1.e1ce2a2341655p-5,
    -0x1.ae802871ca902p-5, 0x1.820258abf2954p-5, -0x1.51ac4d0b0bc6dp-5, 0x1.0b33a69203232p-5,
    -0x1.45d8d311f4db3p-6, 0x1.b11c5b3d86c2fp-8,
};

// (sinh(x) - x) / x^3, z = x^2, 2^-25.3
constexpr float sinh_f32[] = {
    0x1.5555980000000p-3f, 0x1.10f7600000000p-7f, 0x1.ab42880000000p-13f,
};

// (sinh(x) - x) / x^3, z = x^2, 2^-61.7
constexpr double sinh_f64[] = {
    0x1.5555555555556p-3, 0x1.111111111101dp-7, 0x1.a01a01a037562p-13, 0x1.71de3a3ad3e31p-19,
    0x1.ae647026fe592p-26, 0x1.6116ddb6acaa7p-33, 0x1.b5d08a143338cp-41,
};

// (tanh(x) - x) / x^3, z = x^2, 2^-28.4
constexpr float tanh_f32[] = {
    -0x1.55553e0000000p-2f, 0x1.1109be0000000p-3f, -0x1.b89abc0000000p-5f, 0x1.54c3ce0000000p-6f,
    -0x1.82876c0000000p-8f,
};

// (tanh(x) - x) / x^3, z = x^2, 2^-62.6
constexpr double tanh_f64[] = {
    -0x1.5555555555555p-2, 0x1.111111111108ep-3, -0x1.ba1ba1ba12d5ep-5, 0x1.664f488060409p-6,
    -0x1.226e34fd65c6dp-7, 0x1.d6d3bd06d8ad6p-9, -0x1.7da20571fb2abp-10, 0x1.354753bb723f9p-11,
    -0x1.f45b4cb72cb74p-13, 0x1.8f9dad3785120p-14, -0x1.2c89cc61afa2dp-15, 0x1.7190c6cdddb6fp-17,
    -0x1.03a27863656b7p-19,
};

// (asinh(x) - x) / x^3, z = x^2, 2^-33.5
constexpr float asinh_f32[] = {
    -0x1.5555540000000p-3f, 0x1.33323a0000000p-4f, -0x1.6d7eb80000000p-5f, 0x1.ec117a0000000p-6f,
    -0x1.487b920000000p-6f, 0x1.2f49400000000p-7f,
};

// (asinh(x) - x) / x^3, z = x^2, 2^-64.0
constexpr double asinh_f64[] = {
    -0x1.5555555555554p-3, 0x1.3333333332fe6p-4, -0x1.6db6db6d89176p-5, 0x1.f1c71c5dc694cp-6,
    -0x1.6e8ba0532f638p-6, 0x1.1c4e8dd299cfdp-6, -0x1.c9935ed962c8dp-7, 0x1.7a48758c48308p-7,
    -0x1.3e1881cd58a23p-7, 0x1.09d5e7bdaa59ep-7, -0x1.9d145ebf50645p-8, 0x1.fe51fecd723a9p-9,
    -0x1.607591d1d5f6cp-10,
};

// erf(x)/x - 1, z = x^2, relative to erf(x)/x, 2^-29.1
constexpr float erf_f32[] = {
    0x1.06eba80000000p-3f, -0x1.81273e0000000p-2f, 0x1.ce2ce60000000p-4f, -0x1.b7f71c0000000p-6f,
    0x1.53f23e0000000p-8f, -0x1.a352620000000p-11f, 0x1.47755a0000000p-14f,
};

// erf(x)/x - 1, z = x^2, relative to erf(x)/x, 2^-56.3
constexpr double erf_f64[] = {
    0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b46p-6,
    0x1.565bcd0e6a2c3p-8, -0x1.c02db4003545fp-11, 0x1.f9a326f790f1dp-14, -0x1.f4d25bf6b5bdcp-17,
    0x1.b9e6c354b5fccp-20, -0x1.5f73c0aabc2fcp-23, 0x1.fcbaf60459ea0p-27, -0x1.517b59bf1e3b7p-30,
    0x1.9a029e97bce05p-34, -0x1.b3cb6cc0c90f7p-38, 0x1.3b698ca1320cfp-42,
};

// log(erfc(x + 2.5)) on [1, 4], relative to erf, 2^-27.1
constexpr float log_erfc_f32[] = {
    -0x1.f3a2e80000000p+2f, -0x1.5692900000000p+2f, -0x1.e345620000000p-1f, -0x1.5f48f00000000p-7f,
    0x1.422ade0000000p-9f, -0x1.44eaca0000000p-13f, 0x1.85e99a0000000p-13f,
};

// (1 + a) exp(a^2) erfc(a) on [0.5, 11], t = (a - 3)/(a + 3), relative, 2^-26.7
constexpr float erfcx_f32[] = {
    0x1.6e98280000000p-1f, -0x1.d8f06e0000000p-3f, 0x1.9596600000000p-4f, -0x1.4f669e0000000p-7f,
    -0x1.85edf20000000p-6f, 0x1.67dc420000000p-6f, -0x1.400c600000000p-7f, 0x1.9d26fc0000000p-10f,
    0x1.5905480000000p-11f, -0x1.1e06b60000000p-12f,
};

// (1 + a) exp(a^2) erfc(a) on [0.5, 28], t = (a - 4)/(a + 4), relative, 2^-53.9
constexpr double erfcx_f64[] = {
    0x1.5eb7f6ecb19a9p-1, -0x1.9841f8fe19461p-3, 0x1.df6f785600a04p-4, -0x1.89dfde1d97842p-5,
    0x1.03a8439260c02p-8, 0x1.f5c2a425890b4p-7, -0x1.1ef9faf0c135ap-6, 0x1.8e8471e04fbeep-7,
    -0x1.8db87cd395988p-8, 0x1.1567538562b0dp-9, -0x1.98b2a8a9f3895p-12, -0x1.f877ae1deade0p-15,
    0x1.0c83cfbd492e1p-14, -0x1.b9376a7fd0597p-17, -0x1.12cf634ef052bp-18, 0x1.630e503e57d52p-19,
    -0x1.6782f8a9a91e4p-24, -0x1.7e88dc410a257p-22, 0x1.5a62227069565p-23, 0x1.534c21e7f6c0ep-25,
    -0x1.7f01381ff049dp-24, -0x1.4511c9bf6d458p-29, 0x1.b20a8e08c881dp-26,
};

// erfinv(x)/x for w - 3, w = -log(1 - x^2) in [0, 6], relative, 2^-24.6
constexpr float erfinv_near_f32[] = {
    0x1.9fa0740000000p+0f, 0x1.eedbee0000000p-3f, -0x1.7812da0000000p-8f, -0x1.b66b180000000p-11f,
    0x1.9990a80000000p-13f, -0x1.aa11440000000p-17f, -0x1.e876300000000p-20f, 0x1.df8f320000000p-22f,
    -0x1.d19b7e0000000p-27f, -0x1.719c520000000p-28f, 0x1.e2e1ea0000000p-32f,
};

// erfinv(x)/x for w - 3, w = -log(1 - x^2) in [0, 6], relative, 2^-53.9
constexpr double erfinv_near_f64[] = {
    0x1.9fa072ed72dbbp+0, 0x1.eedbebdce73e6p-3, -0x1.780def1d3e67cp-8, -0x1.b6666b152a801p-11,
    0x1.9912c049c863ep-13, -0x1.aab13d1d319f5p-17, -0x1.d539c9919c7fcp-20, 0x1.e32b0d8548edbp-22,
    -0x1.96f840c7b1722p-26, -0x1.77b3aedeb5412p-28, 0x1.3156b3d6d69fap-30, -0x1.14686d3e16168p-35,
    -0x1.30f82c5188971p-36, 0x1.7bc54f12c1bb0p-39, 0x1.1e3e759ea879bp-47, -0x1.dbbbf21e3e0b2p-45,
    0x1.b3858f5cb3107p-48, 0x1.2a576efefd1f0p-52, -0x1.2b37b629f4192p-53, 0x1.053a3153fbea3p-56,
    -0x1.40ca525e2fb74p-62, -0x1.0b3de9d0f4993p-61, 0x1.8ad2575049d3bp-64, 0x1.a63bdce64903ap-68,
    -0x1.f79284807db27p-70,
};

// erfinv(x)/x for sqrt(w) - 3.25 in [2.44, 4.1], relative, 2^-25.2
constexpr float erfinv_far_f32[] = {
    0x1.8abcc40000000p+1f, 0x1.0158a20000000p+0f, 0x1.5ffaa80000000p-8f, -0x1.ea8af00000000p-9f,
    0x1.45c3f80000000p-9f, -0x1.c8ab560000000p-10f, 0x1.02edbc0000000p-10f, -0x1.fdc4e60000000p-13f,
    -0x1.6b096e0000000p-15f,
};

// erfinv(x)/x for sqrt(w) - 3.25 in [2.44, 4.1], relative, 2^-55.0
constexpr double erfinv_far_f64[] = {
    0x1.8abcc380d5a48p+1, 0x1.0158a6d641d54p+0, 0x1.5ffcfe5b66babp-8, -0x1.ebadabb9fda15p-9,
    0x1.468eecab38eebp-9, -0x1.ba9240d8c40e8p-10, 0x1.f3cc53e1f5389p-11, -0x1.7448bce48f3b3p-12,
    0x1.932f0a74b9a7bp-16, 0x1.1e6ac37e5df55p-14, -0x1.8cf57481619e6p-15, 0x1.a2403e12c6597p-17,
    0x1.89c73a2c3193cp-19, -0x1.0b6fa3016029cp-18, 0x1.8d2faad85bbc6p-20, -0x1.ed5c60a34efc3p-26,
    -0x1.05e9c81694ac8p-22, 0x1.1cda4bb2de44fp-23, -0x1.6f8cfe49b755ep-26, -0x1.0e18b950fe708p-26,
    0x1.068183adc2ddcp-27,
};

// erfinv(x)/x for sqrt(w) - 5.1 in [3.9, 6.3], relative, 2^-53.3
constexpr double erfinv_farther_f64[] = {
    0x1.3cdc1ddba66bdp+2, 0x1.02a0d45ec794ep+0, -0x1.a1098acc80c5bp-13, -0x1.872569e8a3bf0p-13,
    0x1.182e073efb71bp-14, -0x1.1ff0f20eea7f9p-16, 0x1.050c83a37f72bp-18, -0x1.be2e0e259957fp-21,
    0x1.80be51c82d122p-23, -0x1.862ba622ed5dap-25, 0x1.1b547b0aca186p-26, -0x1.18bcfecf07419p-27,
    0x1.2ad1328c4cf13p-28, -0x1.16be4b73861a4p-29, 0x1.a5947018f5462p-31, -0x1.379cd3a111e59p-32,
    0x1.afabb9cc61b78p-34, -0x1.1eead25276ed9p-39, -0x1.044c07fcbe600p-36, 0x1.01e0b52cbf2f0p-38,
};

// erfcinv - sqrt(w) for sqrt(w) - 7.1 in [3.9, 10.3], relative to erfcinv, 2^-30.3
constexpr float erfcinv_tail_f32[] = {
    -0x1.0a7f740000000p-3f, 0x1.164f100000000p-7f, -0x1.0b98160000000p-11f, 0x1.1e3b580000000p-17f,
    0x1.6137b60000000p-18f, -0x1.7f4b6a0000000p-20f, 0x1.36e2840000000p-22f, -0x1.b926280000000p-25f,
    0x1.8180460000000p-28f, -0x1.5a20400000000p-31f, 0x1.6112600000000p-32f, -0x1.df4d5a0000000p-35f,
};

// erfcinv - sqrt(w) for sqrt(w) - 9.3 in [6, 12.6], relative to erfcinv, 2^-55.6
constexpr double erfcinv_tail_f64[] = {
    -0x1.d1e8eea1c2c41p-4, 0x1.a92a8aa2ccdd9p-8, -0x1.9993a82383622p-12, 0x1.521384fb7dc91p-16,
    -0x1.c8017e6d02412p-22, -0x1.b38fa10158fb5p-24, 0x1.9746a71de308cp-26, -0x1.f9c86a8135c27p-29,
    0x1.10acf4200bd12p-31, -0x1.1176fe4056ebfp-34, 0x1.0660120a19b59p-37, -0x1.e851810cd83c1p-41,
    0x1.ba1b0326f19e5p-44, -0x1.88ee1dbe2340cp-47, 0x1.690008c8461cfp-50, -0x1.42e587626d5c0p-53,
    0x1.8dfd45789b3e1p-57, -0x1.1a0fe0b90d178p-60, 0x1.5077af5c8a36ap-62, -0x1.39ff806cbc9c9p-65,
};

// erfcinv - sqrt(w) for sqrt(w) - 20 in [12.5, 27.5], relative to erfcinv, 2^-56.0
constexpr double erfcinv_last_f64[] = {
    -0x1.26af3571177c5p-4, 0x1.3432b10603f81p-9, -0x1.6ae5d75241fccp-14, 0x1.ba197e55a4f36p-19,
    -0x1.0ebbaea46d1d3p-23, 0x1.47334bced8d8dp-28, -0x1.7e802d87d565bp-33, 0x1.a3108775b4e8cp-38,
    -0x1.91479cbd95427p-43, 0x1.04e3a4cedd81bp-48, 0x1.04aad0303869fp-54, -0x1.f54ee2aa6e6e2p-57,
    0x1.4dccf3367b5afp-60, -0x1.68c4120c538f7p-64, 0x1.acddd4b9a0b7cp-68, -0x1.bc4a2de357489p-72,
    0x1.24aae50100e63p-77, -0x1.4cf629791287bp-83, 0x1.2a4286417ba01p-83, -0x1.2cd87268e8ee0p-87,
};

// x (log Gamma(x) - Stirling's formula) for x >= 2.5, z = 1/x^2, times z^(1/2), 2^-58.9
constexpr double stirling_f64[] = {
    0x1.555555555554cp-4, -0x1.6c16c16bdb34bp-9, 0x1.a01a00bdb6f67p-11, -0x1.38131c29a68e5p-11,
    0x1.b93817451ec0dp-11, -0x1.f490deba76bf9p-10, 0x1.950a03ac8dc71p-8, -0x1.95aac1c622983p-6,
    0x1.a50620be7c3bap-4, -0x1.7d48efa828329p-2, 0x1.03a0005014555p+0, -0x1.c3cd91705888dp+0,
    0x1.70b80c38db0e5p+0,
};

// log Gamma(1 + u) / u, relative, 2^-56.2
constexpr double lgamma_one_f64[] = {
    -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab23dp-2, 0x1.151322ac7d85dp-2,
    -0x1.a8b9c17abb8dap-3, 0x1.5b40cb1014b21p-3, -0x1.2703a1d375db7p-3, 0x1.010b36a9f96c5p-3,
    -0x1.c80674c7f323ap-4, 0x1.9a01e669753b1p-4, -0x1.748b98baa2ef2p-4, 0x1.556a6c1553d42p-4,
    -0x1.3b2b84c3def62p-4, 0x1.24a06053b7ed0p-4, -0x1.1036ea4927449p-4, 0x1.fedfe4ea25959p-5,
    -0x1.f515440b744c7p-5, 0x1.d30ab829d3a74p-5, -0x1.15c283e3b4436p-5, 0x1.4192db2b094b8p-5,
    -0x1.3dce0058d944ep-3, 0x1.9dfeec25e99bfp-4, 0x1.95f8bce02e899p-2, -0x1.41641eea0c4e0p-3,
    -0x1.49bc676ccb31bp+0, 0x1.03f0de7036756p-1, 0x1.25051a3ae08a0p+1, -0x1.44f4832131d5fp-1,
    -0x1.4a01511f00521p+1, 0x1.f952b5927d761p-2, 0x1.2c3d78af8287ep+0,
};

// log Gamma(2 + u) / u, relative, 2^-55.7
constexpr double lgamma_two_f64[] = {
    0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557522p-4, 0x1.51322ac7d8a14p-6,
    -0x1.e404fc21ede6bp-8, 0x1.7add6eacc87f1p-9, -0x1.38ac5befd6505p-10, 0x1.0b36b00f4c12ap-11,
    -0x1.d3fd72c300189p-13, 0x1.a1275e511fdffp-14, -0x1.78d7852b39693p-15, 0x1.581c20c099075p-16,
    -0x1.3d7393915e88ap-17, 0x1.241ceb0411868p-18, -0x1.06a25c4fc216dp-19, 0x1.177701e970fa1p-20,
    -0x1.4bcaad4fb7c1fp-21, 0x1.ef26167033a13p-26, 0x1.161827279722cp-25, 0x1.d0996cf573923p-23,
};

}  // namespace warploom_math
// clang-format on
