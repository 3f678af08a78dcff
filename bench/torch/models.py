# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Four networks that people train, written in PyTorch alone: a ResNet of bottlenecks, a GPT, a UNet, an LSTM.

Each builder returns the model and a function that draws one batch's loss. Small ones are for comparing losses over many
steps, large ones (`ResNet-50`: 25.6 million parameters) for time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Training:
    """A model, and its loss on inputs and targets."""

    model: nn.Module
    inputs: Tensor
    targets: Tensor
    loss: Callable[[Tensor, Tensor], Tensor]


class Bottleneck(nn.Module):
    """1x1, 3x3, 1x1 with batch norm, and a way around them."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        out = 4 * width
        self.body = nn.Sequential(
            *(nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out)),
        )
        around = stride != 1 or channels != out
        self.around = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        if not around:
            self.around = nn.Sequential()

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.body(x) + self.around(x))


class ResNet(nn.Module):
    """ResNet-50 for layers (3, 4, 6, 3) and width 64."""

    def __init__(self, layers: tuple[int, ...], width: int, classes: int) -> None:
        super().__init__()
        blocks: list[nn.Module] = []
        channels = width
        for number, count in enumerate(layers):
            for each in range(count):
                blocks.append(Bottleneck(channels, width << number, 2 if number and not each else 1))
                channels = 4 * width << number
        head = (nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.body = nn.Sequential(*head, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x)


class Gpt(nn.Module):
    """Transformer blocks with causal attention, as GPT-2 has them, without dropout."""

    def __init__(self, words: int, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.heads = heads
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "first": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
                "second": nn.LayerNorm(width), "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width),
            })
            for _ in range(layers)
        )  # fmt: skip
        self.last = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        batch, length = tokens.shape
        x = self.words(tokens) + self.places(torch.arange(length, device=tokens.device))
        for layer in self.layers:
            parts = layer["qkv"](layer["first"](x)).chunk(3, 2)
            query, key, value = (each.view(batch, length, self.heads, -1).transpose(1, 2) for each in parts)
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + layer["out"](mixed.transpose(1, 2).reshape(x.shape))
            x = x + layer["down"](functional.gelu(layer["up"](layer["second"](x))))
        return self.last(x) @ self.words.weight.t()


class UNet(nn.Module):
    """Down by pooling, up by transposed convolutions, and what was there before beside it."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        sizes = [width << number for number in range(depth + 1)]
        self.first = self.pair(3, width)
        self.down = nn.ModuleList(self.pair(one, two) for one, two in pairwise(sizes))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * size, size, 2, 2) for size in reversed(sizes[:-1]))
        self.join = nn.ModuleList(self.pair(2 * size, size) for size in reversed(sizes[:-1]))
        self.last = nn.Conv2d(width, 1, 1)

    @staticmethod
    def pair(channels: int, out: int) -> nn.Module:
        """Two convolutions with batch norm."""
        layers: list[nn.Module] = []
        for before in (channels, out):
            layers += [nn.Conv2d(before, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU()]
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        kept = [self.first(x)]
        for down in self.down:
            kept.append(down(self.pool(kept[-1])))
        x = kept.pop()
        for up, join in zip(self.up, self.join, strict=True):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.last(x)


class Lstm(nn.Module):
    """The next word, by layers of LSTM."""

    def __init__(self, words: int, width: int, layers: int) -> None:
        super().__init__()
        self.words, self.cells = nn.Embedding(words, width), nn.LSTM(width, width, layers, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.cells(self.words(tokens))[0])


def of_words(scores: Tensor, targets: Tensor) -> Tensor:
    """The loss of the next word."""
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten())


def resnet(small: bool) -> Training:
    """Images to classes."""
    batch, side, classes = (4, 32, 10) if small else (4, 224, 1000)
    model = ResNet((1, 1, 1, 1), 8, classes) if small else ResNet((3, 4, 6, 3), 64, classes)
    images, classes_of = torch.randn(batch, 3, side, side), torch.randint(0, classes, (batch,))
    return Training(model, images, classes_of, functional.cross_entropy)


def gpt(small: bool) -> Training:
    """Words to next words."""
    words, length, width, heads, layers, batch = (50, 32, 32, 4, 2, 4) if small else (5000, 128, 256, 8, 4, 4)
    tokens = torch.randint(0, words, (batch, length + 1))
    return Training(Gpt(words, length, width, heads, layers), tokens[:, :-1].clone(), tokens[:, 1:].clone(), of_words)


def unet(small: bool) -> Training:
    """Images to masks."""
    width, depth, batch, side = (4, 2, 2, 16) if small else (32, 3, 2, 128)
    images, masks = torch.randn(batch, 3, side, side), torch.rand(batch, 1, side, side).round()
    return Training(UNet(width, depth), images, masks, functional.binary_cross_entropy_with_logits)


def lstm(small: bool) -> Training:
    """Words to next words."""
    words, width, layers, batch, length = (50, 24, 2, 4, 16) if small else (2000, 256, 2, 16, 64)
    tokens = torch.randint(0, words, (batch, length + 1))
    return Training(Lstm(words, width, layers), tokens[:, :-1].clone(), tokens[:, 1:].clone(), of_words)


MODELS: dict[str, Callable[[bool], Training]] = {"ResNet-50": resnet, "GPT": gpt, "UNet": unet, "LSTM": lstm}
