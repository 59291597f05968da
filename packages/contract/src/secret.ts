const SECRET_NAME =
  /secret|token|passw|passphrase|_pass$|^pass$|_pwd$|key|credential|auth(?!or(?!i[sz]))|cookie|private|session|dsn|signature|cert/i;

/** Whether a variable or field of this name most likely holds a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** A shorter value is too common to be taken for a secret where it stands under another name. */
export const MIN_SECRET = 6;

/** Secrets whatever they are called: known key forms, tokens of bots, JWTs, PEM blocks, what follows `Bearer`, the login in an address. */
const FORMS =
  /\b(?:sk|pk|rk|xox[abps]|gh[opsur]|glpat|github_pat|npm|hf)[-_](?=[\w-]*\d)[\w-]{8,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\beyJ[\w-]{10,}\.[\w.-]*|\b\d{8,10}:[\w-]{30,}|-----BEGIN[\s\S]*|(?<=\bbearer\s+)(?!(?:tokens?|auth(?:entication|orization)?|schemes?|headers?)(?![\w-]))\S{4,}|(?<=:\/\/)[^\s/?#"']+(?=@)/gi;

export const holdsKeyForm = (text: string): boolean => text.search(FORMS) !== -1;

/** What is secret of a program's argument, its end always: the x of `--token x`, `--token=x`, `TOKEN=x`, `x-api-key: x`, `-u bob:x`. */
export function secretInArgument(arg: string, before: string): string {
  if (!arg.startsWith("-") && /^--?(?!no-)[\w-]+$/.test(before) && isSecretName(before.replace(/^-+/, ""))) return arg;
  if (/^(?:-u|--(?:proxy-)?user)$/.test(before)) return /:(.*)$/s.exec(arg)?.[1] ?? "";
  const [whole = "", name = ""] = /^-*([\w.-]+)(?:=|:\s*)/.exec(arg) ?? [];
  return isSecretName(name) ? arg.slice(whole.length) : "";
}

/** A program's arguments without the secrets among them. */
export const shownArguments = (args: readonly string[]): readonly string[] =>
  args.map((arg, at) => {
    const secret = secretInArgument(arg, args[at - 1] ?? "");
    return secret === "" ? arg : `${arg.slice(0, arg.length - secret.length)}***`;
  });

/** The text with the mask for what has the form of a key, and for each of these values. */
export function maskSecrets(text: string, values: readonly string[] = [], mask = "***"): string {
  const known = values.filter((value) => value.length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  return known.reduce((all, value) => all.replaceAll(value, mask), text).replace(FORMS, mask);
}

/** Values of an environment's variables whose names say that they are secret. */
export const secretValues = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []));
