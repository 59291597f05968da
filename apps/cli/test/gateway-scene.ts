import { readFileSync } from "node:fs";
import { type EchoModel, freePort, startEchoModel } from "@smith/testkit";
import { onTestFinished } from "vitest";
import type { Running } from "./running.ts";
import { type Place, place } from "./scene.ts";

export interface GatewayRun {
  readonly run: Running;
  /** Posts until it is answered or refused; undefined when there was nobody. */
  post(body: object): Promise<Posted | undefined>;
  /** Resident memory of the process, MB. */
  memory(): number;
}

export interface Posted {
  readonly status: number;
  readonly reply: string;
}

export interface GatewayPlace extends Place {
  readonly echo: EchoModel;
  readonly url: string;
  /** Starts `smith gateway` there; resolves when it listens. @param node arguments of node itself. */
  gateway(node?: readonly string[]): Promise<GatewayRun>;
}

/** A home, a port, and a model that echoes. */
export async function gatewayPlace(until?: Parameters<typeof startEchoModel>[0]): Promise<GatewayPlace> {
  const echo = await startEchoModel(until);
  onTestFinished(() => echo[Symbol.asyncDispose]());
  const here = place({
    config: { llm_config: { api_url: echo.url, retry_max_retries: 0 }, default_model: "echo" },
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ ...here, echo, url },
    async gateway(node = []) {
      const run = here.smith(["gateway"], { node, env: { SMITH_GATEWAY_PORT: String(port) } });
      await run.printed("listening on");
      return {
        run,
        async post(body) {
          try {
            const response = await fetch(`${url}/message`, { method: "POST", body: JSON.stringify(body) });
            const { reply } = (await response.json()) as { reply: string };
            return { status: response.status, reply };
          } catch {
            return undefined; // it was killed meanwhile, or is not there yet
          }
        },
        memory: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${run.pid}/status`, "utf8"))?.[1]) / 1024,
      };
    },
  };
}
