"""A made-up log of our own, to try the page with."""

HEAD = """\
2026-03-02 09:14:02,118 INFO launcher: starting 4 ranks on node-17
[rank0]: 2026-03-02 09:14:31,004 INFO initialized process group: world size 4, backend nccl
[rank0]: 2026-03-02 09:15:10,920 INFO loading checkpoint: iteration 1200
"""
TAIL = """\
[rank2]: 2026-03-02 09:15:53,771 WARNING memory reserved: 77.9 GiB of 79.1 GiB
[rank2]: Traceback (most recent call last):
[rank2]:   File "/app/train.py", line 212, in <module>
[rank2]:     loss.backward()
[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.25 GiB. GPU 2 has a total capacity of 79.11 \
GiB of which 1.02 GiB is free.
[rank0]: 2026-03-02 09:15:55,310 ERROR NCCL WARN Call to recv from 10.0.0.17<41022> failed : Connection reset by peer
[rank0]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error
[rank1]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error
[rank3]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error
torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) local_rank: 2 (pid: 4711) of binary: python
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: train.py FAILED
"""


EXAMPLE = HEAD
for turn in range(10):
    for rank in range(4):
        EXAMPLE += (
            f"[rank{rank}]: 2026-03-02 09:15:{14 + 4 * turn:02},{rank}00 INFO iteration {1201 + turn} | "
            f"loss: {2.41 - turn / 100:.3f} | 812 ms\n"
        )
EXAMPLE += TAIL
