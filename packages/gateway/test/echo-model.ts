import { type EchoModel, startEchoModel } from "@smith/testkit";
import { onTestFinished } from "vitest";

/** An echoing model that is closed when the test is over, and a configuration that names it. */
export async function echoModel(
  until?: Parameters<typeof startEchoModel>[0],
): Promise<EchoModel & { readonly config: Readonly<Record<string, unknown>> }> {
  const echo = await startEchoModel(until);
  onTestFinished(() => echo[Symbol.asyncDispose]());
  return { ...echo, config: { llm_config: { api_url: echo.url, retry_max_retries: 0 }, default_model: "echo" } };
}

/** A promise and what lets it go on. */
export function latch(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
