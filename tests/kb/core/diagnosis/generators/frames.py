"""Stack frames: where in a program it happens."""

Frame = tuple[str, int, str, str]
SITE = "/opt/conda/lib/python3.11/site-packages"
MODULE = f"{SITE}/torch/nn/modules/module.py"
CALL = (MODULE, 1751, "_wrapped_call_impl", "return self._call_impl(*args, **kwargs)")
MAIN = ("/app/train.py", 518, "<module>", "main(parse())")
RUN = ("/app/train.py", 477, "main", "trainer.fit()")
STEP = ("/app/engine/loop.py", 188, "step", "loss = self.forward_backward(batch)")
PLACES: dict[str, tuple[Frame, ...]] = {
    "start": (MAIN, ("/app/train.py", 441, "main", "cfg = finalize(cfg)")),
    "import": (("/app/train.py", 23, "<module>", "from engine import kernels"),),
    "rendezvous": (
        MAIN,
        ("/app/train.py", 452, "main", 'dist.init_process_group("nccl", timeout=cfg.timeout)'),
        (f"{SITE}/torch/distributed/c10d_logger.py", 81, "wrapper", "return func(*args, **kwargs)"),
        (f"{SITE}/torch/distributed/rendezvous.py", 278, "_env_rendezvous_handler", "store = _create_c10d_store("),
    ),
    "load": (
        MAIN,
        ("/app/train.py", 463, "main", "state = restore(cfg.resume, model)"),
        ("/app/engine/restore.py", 92, "restore", "tensors = read_shard(path)"),
    ),
    "forward": (
        MAIN,
        RUN,
        STEP,
        CALL,
        ("/app/model/block.py", 141, "forward", "h = h + self.mlp(self.norm2(h))"),
        CALL,
        (f"{SITE}/torch/nn/modules/linear.py", 125, "forward", "return F.linear(input, self.weight, self.bias)"),
    ),
    "embedding": (
        MAIN,
        RUN,
        STEP,
        CALL,
        (f"{SITE}/torch/nn/modules/sparse.py", 190, "forward", "return F.embedding("),
        (f"{SITE}/torch/nn/functional.py", 2551, "embedding", "return torch.embedding(weight, input, padding_idx)"),
    ),
    "backward": (
        MAIN,
        RUN,
        ("/app/engine/loop.py", 203, "forward_backward", "scaled.backward()"),
        (f"{SITE}/torch/_tensor.py", 626, "backward", "torch.autograd.backward("),
        (
            f"{SITE}/torch/autograd/graph.py",
            823,
            "_engine_run_backward",
            "return Variable._execution_engine.run_backward(",
        ),
    ),
    "data": (
        MAIN,
        RUN,
        ("/app/engine/loop.py", 171, "step", "batch = next(self.batches)"),
        (f"{SITE}/torch/utils/data/dataloader.py", 733, "__next__", "data = self._next_data()"),
        ("/app/data/mixture.py", 64, "__getitem__", "return self.pack(record)"),
    ),
    "save": (
        MAIN,
        RUN,
        ("/app/engine/loop.py", 240, "maybe_save", "self.checkpointer.write(state, self.step_no)"),
        ("/app/engine/checkpointer.py", 77, "write", "torch.save(shard, stream)"),
        (f"{SITE}/torch/serialization.py", 965, "save", "_save("),
    ),
    "collective": (
        MAIN,
        RUN,
        ("/app/engine/loop.py", 211, "forward_backward", "dist.all_reduce(norm, group=self.group)"),
        (f"{SITE}/torch/distributed/distributed_c10d.py", 2501, "all_reduce", "work = group.allreduce([tensor], opts)"),
    ),
}
WORKER = f"{SITE}/vllm/v1/executor/multiproc_executor.py"
RUNNER = f"{SITE}/vllm/v1/worker/gpu_model_runner.py"
BUSY = (WORKER, 591, "worker_busy_loop", "output = func(*args, **kwargs)")
SERVED: dict[str, tuple[Frame, ...]] = {
    "start": ((f"{SITE}/vllm/engine/arg_utils.py", 1188, "create_engine_config", "config = VllmConfig("),),
    "import": ((f"{SITE}/vllm/platforms/cuda.py", 18, "<module>", "import vllm._C  # noqa"),),
    "rendezvous": (
        (WORKER, 493, "worker_main", "worker = WorkerProc(*args, **kwargs)"),
        (f"{SITE}/vllm/v1/worker/gpu_worker.py", 181, "init_device", "init_worker_distributed_environment("),
    ),
    "load": (
        (WORKER, 498, "worker_main", "worker.load_model()"),
        (
            f"{SITE}/vllm/model_executor/model_loader/default_loader.py",
            262,
            "load_weights",
            "loaded = model.load_weights(",
        ),
    ),
    "forward": (
        BUSY,
        (f"{SITE}/vllm/v1/worker/gpu_worker.py", 436, "execute_model", "output = self.model_runner.execute_model("),
        (RUNNER, 1972, "execute_model", "model_output = self.model("),
        CALL,
    ),
    "sample": (BUSY, (RUNNER, 2034, "execute_model", "sampler_output = self._sample(logits, metadata)")),
}


def frames(place: str, serving: bool) -> tuple[Frame, ...]:
    """The frames of this place; a server has fewer places."""
    return SERVED.get(place, SERVED["forward"]) if serving else PLACES[place]
