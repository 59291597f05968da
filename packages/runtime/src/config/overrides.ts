import { configError } from "./file.ts";
import { isKey } from "./leaves.ts";
import { FORBIDDEN_KEYS, isLayer, type Layer } from "./merge.ts";
import { noSuchKey } from "./suggest.ts";

/** A value as typed: JSON where it is JSON (`80`, `false`, `[2000,8000]`), else the text itself (`a/b/c`). */
export function coerce(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `{ a: { b: value } }` for the path `a.b`. @throws {AgentError} `schema`/`config` for a path that can be none. */
export function layerOf(path: string, value: unknown): Layer {
  const steps = path.split(".");
  if (steps.some((step) => step === "" || FORBIDDEN_KEYS.has(step))) {
    throw configError(`${JSON.stringify(path)} is no configuration path. Write it as llm_config.api_url.`);
  }
  return steps.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Layer;
}

/** The layer that `--set PATH=VALUE` flags make, later ones over earlier ones. */
export function overrideLayer(flags: readonly string[]): Layer {
  return flags.reduce<Layer>((layer, flag) => {
    const equals = flag.indexOf("=");
    if (equals <= 0)
      throw configError(`--set ${JSON.stringify(flag)}: expected PATH=VALUE, as in default_model=my-model.`);
    const path = flag.slice(0, equals).trim();
    const value = coerce(flag.slice(equals + 1));
    if (value === null && !isKey(path)) throw configError(noSuchKey(path)); // the schema won't see it
    return join(layer, layerOf(path, value));
  }, {});
}

/** Like {@link deepMerge}, but a null stays: it still has to unset what lies below. */
function join(under: Layer, over: Layer): Layer {
  const joined: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = joined[key];
    joined[key] = isLayer(below) && isLayer(value) ? join(below, value) : value;
  }
  return joined;
}
