/** A repository's address, taken apart. `host` is empty for a path of this machine. */
interface Address {
  readonly scheme: string;
  /** What stands before the `@`: a user's name, perhaps with a password, or a token. */
  readonly login: string;
  readonly host: string;
  readonly path: string;
}

const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;
const HELPER_FORM = /^[a-z0-9+.-]+::/i;
const DRIVE_FORM = /^[a-z]:[\\/]/i;

/**
 * SSH, scp, HTTPS, `git://` and file forms of one repository come out the same: `host/path`, without login, port, query or
 * `.git`; the case of the host does not count, that of the path does. A path of this machine becomes `file/path`.
 */
export function normaliseOrigin(url: string): string {
  const address = parseAddress(url);
  const { host, path } = address === null ? { host: "", path: url.trim() } : atHome(address);
  return host === "" ? `file/${cleanPath(path)}` : `${host}/${cleanPath(path)}`;
}

/**
 * The address as it may be shown and sent: no password, no token, no query. The user of an ssh address is no secret. Null for
 * a command line of a transport helper (`ext::…`), which may hold anything.
 */
export function withoutCredentials(url: string): string | null {
  const address = parseAddress(url);
  if (address === null) return null;
  const { scheme, login, host, path } = address;
  if (scheme === "") return path;
  const user = /ssh/i.test(scheme) ? (login.split(":", 1)[0] ?? "") : "";
  const at = user === "" ? "" : `${user}@`;
  return scheme === "ssh:scp" ? `${at}${host}:${path}` : `${scheme}://${at}${host}${path}`;
}

/** Null for what is not an address but a command. */
function parseAddress(url: string): Address | null {
  const text = url.trim();
  const [, scheme = "", rest = ""] = URL_FORM.exec(text) ?? [];
  if (scheme !== "") return parseUrl(scheme, rest);
  if (HELPER_FORM.test(text)) {
    const inner = text.replace(HELPER_FORM, "");
    return URL_FORM.test(inner) ? parseAddress(inner) : null;
  }
  return DRIVE_FORM.test(text) ? localPath(text) : (parseScp(text) ?? localPath(text));
}

const localPath = (path: string): Address => ({ scheme: "", login: "", host: "", path });

function parseUrl(scheme: string, rest: string): Address {
  const [place = "", ...more] = partAt(rest.replace(/[?#].*$/s, ""));
  const [login, host] = partLogin(place);
  const path = more.join("");
  // A password with a slash in it: what looks like a host is a user, and the host stands behind the last `@`.
  if (login === "" && /^[^:]+:.*\D/.test(host) && !host.startsWith("[") && path.includes("@")) {
    const after = path.slice(path.lastIndexOf("@") + 1);
    return { scheme, login: host, host: partAt(after)[0] ?? "", path: partAt(after)[1] ?? "" };
  }
  if (scheme.toLowerCase() === "file") return localPath(host === "localhost" ? path : host + path);
  return { scheme, login, host, path };
}

/** `[user@]host:path`; also `[user@host:port]:path`, and `user:token@host/path`, an address that lost its scheme. */
function parseScp(text: string): Address | null {
  const lost = /^([^/:@]+:[^/@]*)@([^/]+)(\/.*)$/.exec(text);
  if (lost !== null) return { scheme: "https", login: lost[1] ?? "", host: lost[2] ?? "", path: lost[3] ?? "" };
  const bracketed = /^\[([^\]]*@[^\]]+|[^\]@:]+:\d+)\]:(.*)$/s.exec(text);
  const plain = /^((?:[^@/]+@)?(?:\[[^\]]+\]|[^:/]+)):(.+)$/s.exec(text);
  const [, place = "", path = ""] = bracketed ?? plain ?? [];
  if (place === "") return null;
  const [login, host] = partLogin(place);
  return { scheme: "ssh:scp", login, host, path };
}

/** What stands before the first slash, and the rest with it. */
function partAt(text: string): readonly [string, string] {
  const slash = text.indexOf("/");
  return slash === -1 ? [text, ""] : [text.slice(0, slash), text.slice(slash)];
}

function partLogin(place: string): readonly [login: string, host: string] {
  const at = place.lastIndexOf("@");
  return at === -1 ? ["", place] : [place.slice(0, at), place.slice(at + 1)];
}

/** Other names that a host has for SSH through a firewall's open port. */
const ALIASES: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
  "ssh.dev.azure.com": "dev.azure.com",
};

/** Where the repository is at home: the host's one name, and the one path that all its forms stand for. */
function atHome({ host: written, path: raw }: Address): { readonly host: string; readonly path: string } {
  const host = withoutPort(written)
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^www\./, "");
  const path = decoded(raw);
  const name = Object.hasOwn(ALIASES, host) ? (ALIASES[host] ?? host) : host;
  const [org = ""] = /^(.+)\.visualstudio\.com$/.exec(name)?.slice(1) ?? [];
  if (org !== "" || name === "dev.azure.com") {
    const parts = cleanPath(path)
      .split("/")
      .filter((part) => !/^(_git|v3|DefaultCollection)$/.test(part));
    const whole = org === "" || org === "vs-ssh" ? parts : [org, ...parts];
    return { host: "dev.azure.com", path: whole.join("/") };
  }
  return { host: name, path };
}

const withoutPort = (host: string): string => host.replace(/:\d*$/, "").replace(/^\[([^\]]*)\]$/, "$1");

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a per cent sign that is only that
  }
}

const cleanPath = (path: string): string =>
  path
    .replaceAll("\\", "/")
    .replace(/\/{2,}/g, "/")
    .replace(/^\/|\/$/g, "")
    .replace(/(?<=[^/])\.git$/i, "");
