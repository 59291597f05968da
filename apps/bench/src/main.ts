// One bundle, several programs: the bench itself, that of the store, the server it measures against, the loop it measures beside, and parts of
// Smith: what streams, and its tools alone. Each is loaded alone, so that none pays for the others.
const [mode, ...rest] = process.argv.slice(2);
if (mode === "minimal") {
  const { runMinimal } = await import("./minimal.ts");
  await runMinimal(rest);
} else if (mode === "adapter") {
  const { runAdapter } = await import("./adapter.ts");
  await runAdapter(rest);
} else if (mode === "tool") {
  const { runToolWork } = await import("./tool-work.ts");
  await runToolWork(rest);
} else if (mode === "code") {
  const { runTool } = await import("./code-call.ts");
  await runTool(rest);
} else if (mode === "rg") {
  const { runRipgrep } = await import("./code-call.ts");
  await runRipgrep(rest);
} else if (mode === "serve") {
  const { serve } = await import("./server.ts");
  serve();
} else if (mode === "store") {
  const { runStoreBench } = await import("./store-bench.ts");
  await runStoreBench(rest);
} else {
  const { runBench } = await import("./bench.ts");
  process.exitCode = await runBench(process.argv.slice(2));
}
