import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { Config } from "@smith/contract/config";
import type { Check } from "@smith/contract/doctor";
import type { ConfigFiles } from "../config/settings.ts";
import { bad, fair, good } from "./check.ts";
import type { Patient } from "./doctor.ts";

const stat = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false; // whatever the reason: the caller says which path
  }
};

/** The nearest folder above that exists: there the missing ones would be made. */
function existing(path: string): string {
  let at = path;
  while (stat(at) === undefined && dirname(at) !== at) at = dirname(at);
  return at;
}

/** The folders of the configuration and the database. */
export async function home({ sources }: Patient): Promise<readonly Check[]> {
  const files = [sources.user_file, sources.database].filter((file) => file !== null);
  const folders = [...new Set(files.map(dirname))];
  if (folders.length === 0) return [good("home", "none: nothing is read or kept")];
  return folders.map((folder) => {
    const there = existing(folder);
    if (stat(there)?.isDirectory() !== true)
      return bad("home", `${there} is no folder`, `Move ${there} away, or set SMITH_HOME to another folder.`);
    if (!isWritable(there)) {
      return bad(
        "home",
        `${there} can't be written: nothing would be kept`,
        `Make it yours (chown, chmod u+w), or set SMITH_HOME to a folder that you can write.`,
      );
    }
    return good("home", there === folder ? folder : `${folder} (made when something is kept)`);
  });
}

/** Both configuration files, each by itself, so that a fault in one does not hide the other. */
export async function configFiles(patient: Patient): Promise<readonly Check[]> {
  const { sources, env } = patient;
  const { readConfigFiles, openSettings } = patient.with;
  const user = await readConfigFiles({ ...sources, project_dir: null }).then(
    ({ user: file }) => file,
    (thrown: unknown) => thrown,
  );
  const checks: Check[] = [userCheck(user, sources.user_file)];
  const files: Pick<ConfigFiles, "user"> = { user: isFile(user) ? user : null };
  try {
    const { project, roles } = await readConfigFiles({ ...sources, user_file: null, must_exist: false });
    const none = { patch: async () => ({}), setPatch: async () => {} };
    const { notices } = await openSettings(sources, { ...files, project, roles }, none);
    for (const { text } of notices) checks.push(fair("config", text, "Remove it there, or do what the line says."));
    if (project !== null) checks.push(good("config", `${project.path} (the project's) is fine`));
  } catch (thrown) {
    const message = messageOf(thrown);
    const isUsers = sources.user_file !== null && message.startsWith(`${sources.user_file}:`);
    checks.push(bad("config", message, `Mend that line of ${isUsers ? "your" : "the project's"} file.`));
  }
  return [...checks, ...keyChecks(files, sources.user_file), ...envChecks(files, env)];
}

const isFile = (file: unknown): file is NonNullable<ConfigFiles["user"]> =>
  typeof file === "object" && file !== null && !(file instanceof Error);

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

function userCheck(file: unknown, path: string | null): Check {
  if (path === null) return good("config", "no file is read");
  if (file === null)
    return good("config", `${path} does not exist: the defaults hold (smith config template prints a beginning)`);
  if (!isFile(file)) return bad("config", messageOf(file), `Mend that line of ${path}.`);
  return good("config", `${path} is fine`);
}

/** A key in a file that others may read is theirs, too. */
function keyChecks({ user }: Pick<ConfigFiles, "user">, path: string | null): readonly Check[] {
  if (user === null || path === null || !JSON.stringify(user.layer).includes('"api_key":')) return [];
  const mode = (stat(path)?.mode ?? 0) & 0o777;
  if ((mode & 0o077) === 0) return [];
  return [
    fair(
      "config",
      `${path} holds a key, and others may read it (mode ${mode.toString(8)})`,
      `chmod 600 ${path}, or put the key into a variable and name that in api_key_env.`,
    ),
  ];
}

/** Names of variables where keys belong: a key itself there would be looked up, shown in messages, and found missing. */
function envChecks({ user }: Pick<ConfigFiles, "user">, env: Patient["env"]): readonly Check[] {
  const parsed = Config.safeParse(user?.layer ?? {});
  if (!parsed.success) return [];
  const { llm_config, providers } = parsed.data;
  const names = [llm_config.api_key_env, ...providers.flatMap(({ api_key_env }) => api_key_env ?? [])];
  return names
    .filter((name) => /^(sk-|ghp_|key-)/.test(name) && env[name] === undefined)
    .map((name) =>
      bad(
        "config",
        `api_key_env is ${name.slice(0, 6)}…, which looks like a key`,
        "Put the NAME of a variable there, and the key into that variable.",
      ),
    );
}

export async function database({ sources, lookAtStore }: Patient): Promise<readonly Check[]> {
  const { database: file } = sources;
  if (file === null) return [good("database", "none: everything is kept in memory only")];
  const there = stat(file);
  if (there === undefined) return [good("database", `${file} (made with the first turn)`)];
  if (!there.isFile())
    return [bad("database", `${file} is no file`, "Move it away, or set SMITH_HOME to another folder.")];
  const checks = [fileCheck(file, there)];
  return lookAtStore === undefined ? checks : [...checks, ...(await lookAtStore(file))];
}

function fileCheck(file: string, { size, mode }: Stats): Check {
  if (!isWritable(file))
    return bad("database", `${file} can't be written: sessions would be kept in memory only`, `chmod u+w ${file}`);
  const detail = `${file}, ${(size / 2 ** 20).toFixed(1)} MB`;
  if ((mode & 0o077) !== 0)
    return fair("database", `${detail}, which others may read`, `chmod 600 ${file}: all that was said stands in it.`);
  return good("database", detail);
}
