import type { ModelChoice } from "@smith/runtime";
import { safeLine } from "@smith/terminal/safe";

/** Which model was taken and why, on one line. */
export function modelLine({ model, api_url, source, provider }: ModelChoice): string {
  const where = api_url === null ? "" : ` at ${api_url}`;
  return safeLine(`${model}${where} (${why(source, provider)})`);
}

function why(source: ModelChoice["source"], provider: string): string {
  switch (source) {
    case "override":
      return "chosen for this run";
    case "role":
      return "models of the configuration";
    case "default":
      return "default_model";
    case "provider":
      return `the model of ${provider}`;
    case "environment":
      return `the key of ${provider} is in the environment`;
    case "local server":
      return `a local server of ${provider} answered`;
    case "only model listed":
      return "the only model it lists";
    case "demo":
      return "no model is configured: answers are search results";
    case "fallback":
      return "fallback";
    default:
      return source satisfies never;
  }
}
