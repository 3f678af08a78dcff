# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.distributed over gloo with tensors on device cuda, in two processes."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, torch, torch.distributed as dist
rank, port = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)

def mine(value, n=3): return torch.full((n,), float(value), device="cuda")

x = mine(rank + 1)
dist.all_reduce(x)
assert x.is_cuda and x.tolist() == [3] * 3
parts = [mine(0), mine(0)]
dist.all_gather(parts, mine(rank))
assert [part.tolist() for part in parts] == [[0] * 3, [1] * 3]
x = mine(rank)
dist.broadcast(x, 1)
assert x.tolist() == [1] * 3
work = dist.all_reduce(x, async_op=True)
work.wait()
assert x.tolist() == [2] * 3
dist.barrier()

def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 1))

data = torch.randn(8, 6, generator=torch.Generator().manual_seed(1))
shared = torch.nn.parallel.DistributedDataParallel(model().cuda())
for _ in range(2):
    shared.zero_grad()
    shared(data[rank::2].cuda()).square().mean().backward()
whole = model()
whole(data).square().mean().backward()
for ours, theirs in zip(shared.parameters(), whole.parameters()):
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad)
dist.destroy_process_group()
print("done")
"""


@pytest.mark.usefixtures("torch")
def test_collectives_and_data_parallel_training(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "program.py"]
    ranks = [
        subprocess.Popen([*command, str(rank), str(port)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for rank in range(2)
    ]
    for rank in ranks:
        out, error = rank.communicate(timeout=300)
        assert out == b"done\n", error.decode()
