/** Where chats come from. */
export const PLATFORMS = ["webhook", "telegram", "discord", "twitch"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The variables that each platform needs, the token first; they are in no file, so that no file holds one. */
export const CREDENTIALS: Readonly<Record<Platform, readonly string[]>> = Object.freeze({
  webhook: [],
  telegram: ["SMITH_TELEGRAM_TOKEN"],
  discord: ["SMITH_DISCORD_TOKEN"],
  twitch: ["SMITH_TWITCH_TOKEN", "SMITH_TWITCH_NICK", "SMITH_TWITCH_CHANNELS"],
});

/** Whether only this machine can reach an address that is listened on. */
export const isLoopback = (address: string): boolean =>
  ["localhost", "::1", "[::1]"].includes(address.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(address);
