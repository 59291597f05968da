import { dirname } from "node:path";
import type { Config } from "@smith/contract/config";
import type { Check } from "@smith/contract/doctor";
import { type AgentError, toAgentError } from "@smith/contract/error";
import type { Notice } from "@smith/contract/turn";
import type { Endpoint } from "../endpoints.ts";
import type { ModelChoice } from "../models.ts";
import { bad, fair, good } from "./check.ts";
import type { Patient } from "./doctor.ts";

export interface ModelFacts {
  readonly config: Readonly<Config>;
  /** What opening had to say. */
  readonly notices: readonly Notice[];
  /** The model that answers the user. @throws {AgentError} when none would. */
  choose(): Promise<ModelChoice>;
}

/** Which model would answer, and why. */
export async function model({ models }: Patient): Promise<readonly Check[]> {
  const facts = await models(); // what keeps it from starting is told as this check
  const told = facts.notices.map(({ text }) => fair("start", text, "Do what the line says."));
  return [...told, await modelCheck(facts)];
}

async function modelCheck(facts: ModelFacts): Promise<Check> {
  try {
    const { model, api_url, source, key, context_window, endpoints } = await facts.choose();
    const where = api_url === null ? "" : ` at ${api_url}`;
    const detail = `${model}${where}: ${WHY[source]}${source === "role" || source === "default" ? ` (${key})` : ""}`;
    if (endpoints.length === 0)
      return fair(
        "model",
        detail,
        "The demo only searches. Set a model: a key, a local server, or config set default_model.",
      );
    return good("model", `${detail}; a window of ${context_window.toLocaleString("en-US")} tokens`);
  } catch (thrown) {
    const { message, code } = toAgentError(thrown, "runtime/doctor");
    const [first = "", ...ways] = message.split("\n");
    const mend = ways.length > 0 ? ways.map((way) => way.trim()).join("\n") : "Do what the line says.";
    return bad("model", code === "no_model" ? first.replace(/ Three ways.*$/, "") : message, mend);
  }
}

const WHY: Readonly<Record<ModelChoice["source"], string>> = {
  override: "chosen for this run",
  role: "models of the configuration",
  default: "the configuration",
  provider: "the model of the first provider that can be asked",
  environment: "a key is in the environment",
  "local server": "a local server answered",
  "only model listed": "the only one its endpoint lists",
  demo: "nothing is configured, and the demo was asked for",
  fallback: "the fallback",
};

/** Each endpoint that a turn may ask: its key, whether it answers, whether it lists its model. */
export async function providers(patient: Patient): Promise<readonly Check[]> {
  const { models, with: instruments } = patient;
  const facts = await models().catch(() => null);
  if (facts === null) return []; // that it does not start stands in the check before
  const choice = await facts.choose().catch(() => null); // why there is none stands in the check before
  const chosen = choice?.endpoints ?? [];
  const configured = instruments.endpointsOf(facts.config);
  const others = configured.filter(({ provider }) => !chosen.some((each) => each.provider === provider));
  const [first] = chosen;
  const all = [...chosen, ...others];
  return await Promise.all(
    all.map((endpoint) =>
      providerCheck(endpoint, endpoint === first ? (choice?.model ?? null) : endpoint.model, patient),
    ),
  );
}

/** Seconds that a provider is waited for. */
const ASK_S = 5;

async function providerCheck(endpoint: Endpoint, wanted: string | null, patient: Patient): Promise<Check> {
  const { env } = patient;
  const { isUsable, leftOut, shownUrl, listOptions } = patient.with;
  const name = `provider ${endpoint.provider}`;
  if (endpoint.kind === "ai_sdk") return await packageCheck(name, endpoint, patient);
  if (!isUsable(endpoint, env)) {
    return bad(
      name,
      leftOut(endpoint),
      `export ${endpoint.api_key_env}=…, or name another variable in its api_key_env.`,
    );
  }
  const place = shownUrl(endpoint);
  try {
    const { listModels } = await import("@smith/llm");
    const signal = AbortSignal.timeout(ASK_S * 1000);
    const ids = await listModels(listOptions(endpoint, env), { signal, timeout_s: ASK_S });
    return listedCheck(name, { place, ids, wanted });
  } catch (thrown) {
    return unlisted(name, place, toAgentError(thrown, "runtime/doctor"));
  }
}

/** Whether the package is there; what it asks is asked only by a turn. */
async function packageCheck(name: string, endpoint: Endpoint, { sources }: Patient): Promise<Check> {
  const { createAiSdk } = await import("@smith/llm");
  const { provider, package: npm, api_key_env } = endpoint;
  const dirs = sources.user_file === null ? [] : [dirname(sources.user_file)];
  try {
    createAiSdk({ provider, api_key: null, api_key_env, stream: true, timeouts: {}, package: npm, package_dirs: dirs });
    return good(name, `the package ${npm} is installed; it is asked only by a turn`);
  } catch (thrown) {
    return bad(name, toAgentError(thrown, "runtime/doctor").message, "Do what the line says.");
  }
}

interface Answered {
  readonly place: string;
  readonly ids: readonly string[];
  readonly wanted: string | null;
}

function listedCheck(name: string, { place, ids, wanted }: Answered): Check {
  const detail = `${place} answers and lists ${ids.length} model${ids.length === 1 ? "" : "s"}`;
  if (ids.length === 0) return bad(name, detail, "Load or pull a model there.");
  if (wanted === null) return good(name, detail);
  // An alias stands for a dated id, a bare name for its tag.
  if (ids.some((id) => id === wanted || id.startsWith(`${wanted}-`) || id === `${wanted}:latest`))
    return good(name, `${detail}, ${wanted} among them`);
  return bad(
    name,
    `${detail}, but not ${wanted}`,
    `Set its model to one of: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", … (smith models lists them)" : ""}.`,
  );
}

/** Not every endpoint has a list: only what a turn would run into as well is broken. */
function unlisted(name: string, place: string, error: AgentError): Check {
  const { status } = error.data;
  const hasNoList = error.code === "bad_request" && (status === 404 || status === 405);
  if (hasNoList)
    return fair(
      name,
      `${place} answers, but lists no models`,
      "Whether it knows the model will show with the first turn.",
    );
  return bad(
    name,
    error.message,
    error.code === "auth" ? "Set the right key." : "Start the server, or mend the address.",
  );
}

export async function proxy({ models, env }: Patient): Promise<readonly Check[]> {
  const { proxyFor } = await import("@smith/llm");
  const choice = await models()
    .then((facts) => facts.choose())
    .catch(() => null);
  const urls = [...new Set((choice?.endpoints ?? []).map(({ api_url }) => api_url))].filter((url) => URL.canParse(url));
  try {
    const through = urls.flatMap((url) => {
      const found = proxyFor(new URL(url), env);
      return found === null ? [] : [`${new URL(url).host} through ${found.url.origin} (${found.variable})`];
    });
    return [good("proxy", through.length === 0 ? "none: providers are asked directly" : through.join("; "))];
  } catch (thrown) {
    const error = toAgentError(thrown, "runtime/doctor");
    return [bad("proxy", error.message, "Mend or unset the variable.")];
  }
}

/** What would be found on this machine if nothing were configured. */
export async function localServers({ env, with: { findLocalServers } }: Patient): Promise<readonly Check[]> {
  if (env["SMITH_NO_PROBE"] === "1") return [good("local servers", "not looked for: SMITH_NO_PROBE is 1")];
  const found = await findLocalServers(env);
  if (found.length === 0)
    return [good("local servers", "none answers on the ports of Ollama, LM Studio and llama.cpp")];
  return [
    good(
      "local servers",
      found.map(({ endpoint, model }) => `${endpoint.provider} at ${endpoint.api_url} (${model})`).join("; "),
    ),
  ];
}
