// Loaded into smith by a test: a fault that nobody catches, at a moment that the test picks.
process.on("SIGUSR2", () => {
  throw new Error("a fault that nobody catches");
});
