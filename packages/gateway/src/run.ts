import { type GatewayOptions, startGateway } from "./gateway.ts";

/**
 * Runs a gateway until SIGINT, SIGTERM or SIGHUP, then drains it; a second signal leaves at once. Returns the exit code:
 * 0, or 1 when no adapter is left.
 * @throws {AgentError} as {@link startGateway}.
 */
export async function runGateway(options: GatewayOptions): Promise<number> {
  let stop: (() => void) | null = null;
  let isLast = false;
  const onSignal = () => {
    if (stop === null || isLast) process.exit(isLast ? 1 : 0);
    isLast = true;
    options.say("closing: what was taken in is finished first; a second signal leaves at once.");
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    const gateway = await startGateway(options);
    stop = () => void gateway.close();
    await gateway.ended;
    const isClosed = isLast;
    await gateway.close(0);
    if (!isClosed) options.say("no platform is left.");
    return isClosed ? 0 : 1;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
