import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import type { Explained } from "@smith/contract/setting";
import { type Command, type CommandCall, misuse, say } from "./command.ts";
import { CONFIG_TEMPLATE } from "./template.ts";

/** `/config` and `smith config`. */
export const config: Command = {
  name: "config",
  summary: "show and change the configuration",
  usage: ["get [PATH]", "set PATH VALUE", "unset PATH", "explain PATH", "list", "path", "template"],
  example: "config set default_model my-model",
  doors: ["slash", "cli"],
  complete(words, host) {
    if (words.length <= 1) return ["get", "set", "unset", "explain", "list", "path", "template"];
    const paths = host.config.paths();
    const wanted = words[0] === "set" || words[0] === "unset" ? paths.filter((each) => each.overridable) : paths;
    return words.length === 2 ? wanted.map((each) => each.path) : [];
  },
  async run(call, host) {
    const [verb = "get", path, ...rest] = call.words;
    if (verb === "set") return path === undefined || rest.length === 0 ? misuse(config) : set(path, call, host);
    if (rest.length > 0) return misuse(config);
    const alone = Object.hasOwn(ALONE, verb) ? ALONE[verb] : undefined;
    if (alone !== undefined) return path === undefined ? alone(host) : misuse(config);
    if (verb === "get") return get(path ?? null, host);
    if (path === undefined) return misuse(config);
    if (verb === "unset") return unset(path, host);
    return verb === "explain" ? explained(await host.config.explain(path)) : misuse(config);
  },
};

/** Verbs that nothing follows. */
const ALONE: Readonly<Record<string, (host: CommandHost) => CommandAnswer>> = {
  list: (host) => list(host),
  path: (host) => files(host),
  template: () => say(CONFIG_TEMPLATE),
};

function get(path: string | null, host: CommandHost): CommandAnswer {
  const value = host.config.get(path);
  if (value === undefined) return { ok: false, say: `${path} is not set.`, data: null };
  return say(typeof value === "string" ? value : JSON.stringify(value, null, 2), value);
}

async function set(path: string, { words, typed }: CommandCall, host: CommandHost): Promise<CommandAnswer> {
  // Quotes are part of JSON: `["a", "b"]` must not lose them to the parting into words.
  const [, asTyped] = /^\s*set\s+\S+\s+(.+)$/s.exec(typed ?? "") ?? [];
  await host.config.set(path, (asTyped ?? words.slice(2).join(" ")).trim().replace(/^'(.*)'$/s, "$1"));
  return say(`${path} = ${JSON.stringify(host.config.get(path))}, from the next turn on.`);
}

async function unset(path: string, host: CommandHost): Promise<CommandAnswer> {
  await host.config.unset(path);
  const left = host.config.get(path);
  return say(left === undefined ? `${path} is unset.` : `${path} is back to ${JSON.stringify(left)}.`);
}

function explained(answer: Explained): CommandAnswer {
  const rows = answer.layers.map(({ layer, value, file, line }) => {
    const where = file === null ? "" : `  ${file}${line === null ? "" : `:${line}`}`;
    return `${layer === answer.winner ? "→" : " "} ${layer.padEnd(9)} ${JSON.stringify(value)}${where}`;
  });
  const head = `${answer.path} = ${answer.value === null ? "(unset)" : JSON.stringify(answer.value)}`;
  return say([head, ...rows].join("\n"), answer);
}

function list(host: CommandHost): CommandAnswer {
  const paths = host.config.paths();
  const width = Math.max(...paths.map(({ path }) => path.length));
  const rows = paths.map(
    ({ path, overridable, description }) => `${overridable ? "*" : " "} ${path.padEnd(width)}  ${description}`,
  );
  return say(["* can be set at run time", ...rows].join("\n"), paths);
}

function files(host: CommandHost): CommandAnswer {
  const known = host.config.files();
  const rows = Object.entries(known).map(([name, path]) => `${name.padEnd(9)} ${path ?? "-"}`);
  return say(rows.join("\n"), known);
}
