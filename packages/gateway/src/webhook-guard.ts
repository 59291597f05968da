import { createHash, timingSafeEqual } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import { isLoopback } from "@smith/contract/platform";

/** Whether a request has the token, in the same time however much of it is right; always without one. */
export function hasToken(given: string | undefined, token: string | null): boolean {
  if (token === null) return true;
  return timingSafeEqual(digest(given ?? ""), digest(token));
}

/** Of equal length, whatever was given: the comparison takes no other. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Whether a request was made for another host than this, or by a page of another origin: a name that a stranger's page has
 * led here (DNS rebinding), or a form that it sends.
 */
export function isForeign(headers: Headers, bind: string): boolean {
  const host = nameIn(`http://${headers.get("host") ?? ""}`);
  if (host === null || !isOurs(host, bind)) return true;
  const origin = headers.get("origin");
  if (origin === null) return false;
  const from = nameIn(origin);
  return from === null || !isOurs(from, bind);
}

function nameIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/[[\]]/g, "").toLowerCase() : null;
}

/** Loopback always; the machine's own names and addresses where the webhook listens to more than itself. */
function isOurs(name: string, bind: string): boolean {
  if (isLoopback(name)) return true;
  if (isLoopback(bind)) return false;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  return [bind.toLowerCase(), hostname().toLowerCase(), ...addresses].includes(name);
}
