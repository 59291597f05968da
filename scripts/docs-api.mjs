// Writes docs/API.md: scripts/api-head.md, then every export of @smith/runtime as the compiler declares it.
// usage: node scripts/docs-api.mjs [--check]   --check writes nothing and exits 1 when the file is not current
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

const root = resolve(import.meta.dirname, "..");
const target = join(root, "docs", "API.md");

/** What stands where; an export that is in none of them comes last, under "More". */
const groups = {
  "Making agents": ["createAgent", "runAgent", "createAgentWithPlugins", "RuntimeOptions", "ConfigInput", "Layer"],
  "Running them": [
    ...["Agent", "AgentRunOptions", "AgentResult", "AgentEvents", "Listener", "OutputSchema", "Demand"],
    ...["HistoryMessage", "TurnInput", "Picture"],
  ],
  "Tools of yours": ["defineTool", "ToolDefinition", "Tool", "AnyTool", "ToolContext", "ToolOutcome"],
  "Models of yours": ["ChatModel", "Usage", "UNKNOWN_USAGE"],
  "What a run comes to": ["TurnResult", "TranscriptMessage", "DispatchResult", "CancelAccount", "AgentEvent"],
  Errors: ["AgentError", "AgentErrorData", "ErrorKind", "ERROR_KINDS", "toAgentError"],
  "Below an agent": [
    ...["createRuntime", "Runtime", "RunOptions", "Processed", "Started", "SessionState", "ExecutionContext"],
    ...["Beside", "BesideOptions", "ModelChoice"],
  ],
  Plugins: [
    ...["Plugin", "PluginTool", "PluginHooks", "HookContext", "GuardAnswer", "loadPlugins", "LoadedPlugin"],
    ...["PluginError", "pluginErrorsSummary"],
  ],
  "Files of the shell": [
    ...["findPaths", "Paths", "overrideLayer", "configError", "readSessionFile", "SessionLine", "SessionMeta"],
  ],
  "Services and parts": [
    ...["SERVICE_NAMES", "ServiceName", "ServiceOverrides", "Services", "composeServices", "serviceOptions"],
    ...["createToolRegistry", "ToolRegistry", "createExecutor", "createEventBus", "VERSION"],
  ],
};

/** The declarations of a module, by the name of its file without an ending. */
const declarations = (stem) => readFileSync(`${stem}.d.ts`, "utf8");

/** Where each export of a package's index is declared: name → file without an ending. */
function exportsOf(stem) {
  const found = new Map();
  const lists = /^export (?:type )?\{([^}]*)\} from "([^"]+)";$/gm;
  for (const [, list, from] of declarations(stem).matchAll(lists)) {
    for (const name of list.split(",").map((each) => each.trim().replace(/^type /, ""))) {
      if (name !== "") found.set(name, placeOf(name, from, stem));
    }
  }
  return found;
}

function placeOf(name, from, stem) {
  if (from.startsWith(".")) return join(dirname(stem), from.replace(/\.ts$/, ""));
  const [, dir, module] = /^@smith\/(\w+)(?:\/(.+))?$/.exec(from);
  const place = join(root, "packages", dir, "dist", module ?? "index");
  return module === undefined ? exportsOf(place).get(name) : place;
}

/** What stands before a declaration for its reader, and the declaration. */
function describe(name, stem) {
  const text = declarations(stem);
  const start = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) ${name}\\b`,
    "m",
  ).exec(text);
  if (start === null) throw new Error(`${stem}.d.ts declares no ${name}`);
  const code = statementAt(text, start.index);
  const doc = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, start.index))?.[1] ?? "";
  const isInferred = code.includes(`z.infer<typeof ${name}>`) || code.includes("z.input<");
  return { prose: proseOf(doc), code: isInferred ? schemaOf(name, stem) : shorten(code) };
}

/** Up to the end of the statement: the first line that closes what the first one opened. */
function statementAt(text, index) {
  const lines = text.slice(index).split("\n");
  const end = lines.findIndex((line) => /^(?:\}.*|\S.*;)$/.test(line));
  return lines.slice(0, end + 1).join("\n");
}

/** A type that is read off a schema is best told by the schema. */
function schemaOf(name, stem) {
  const text = readFileSync(`${stem.replace("/dist/", "/src/")}.ts`, "utf8");
  const at = text.search(new RegExp(`^(?:export )?const ${name}\\b`, "m"));
  return at < 0 ? statementAt(text, text.search(new RegExp(`^export type ${name}\\b`, "m"))) : statementAt(text, at);
}

const shorten = (code) =>
  code
    .replace(/^export (?:declare )?/, "")
    .replace(/^ +/gm, (blanks) => " ".repeat(Math.floor(blanks.length / 4) * 2 + (blanks.length % 4)));

/** A docstring as Markdown: what is thrown gets a line of its own. */
function proseOf(doc) {
  const text = doc
    .split("\n")
    .map((line) => line.trim().replace(/^\* ?/, ""))
    .join("\n")
    .trim()
    .replace(/\{@link ([^}]+)\}/g, "`$1`");
  return text
    .replace(/\n?@param (\w+) /g, "\n\n`$1`: ")
    .replace(/\n?@throws \{(\w+)\}\s*/g, "\n\nThrows `$1`: ")
    .replace(/\n?@throws\s+/g, "\n\nThrows ")
    .replace(/ +$/gm, "")
    .trim();
}

function page() {
  const places = exportsOf(join(root, "packages", "runtime", "dist", "index"));
  const listed = Object.values(groups).flat();
  const more = [...places.keys()].filter((name) => !listed.includes(name));
  const gone = listed.filter((name) => !places.has(name));
  if (gone.length > 0) throw new Error(`no export any more, but in scripts/docs-api.mjs: ${gone.join(", ")}`);
  const all = Object.entries({ ...groups, More: more }).filter(([, names]) => names.length > 0);
  const sections = all.map(([title, names]) => {
    const entries = names.map((name) => {
      const { prose, code } = describe(name, places.get(name));
      return `### ${name}\n\n${prose === "" ? "" : `${prose}\n\n`}\`\`\`ts\n${code}\n\`\`\`\n`;
    });
    return `## ${title}\n\n${entries.join("\n")}`;
  });
  return `${readFileSync(join(root, "scripts", "api-head.md"), "utf8").trimEnd()}\n\n${sections.join("\n")}`;
}

execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b", "packages/runtime"], {
  cwd: root,
});
const text = page();
if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  process.stderr.write("docs/API.md is not what the code says. Run: node scripts/docs-api.mjs\n");
  process.exitCode = 1;
}
