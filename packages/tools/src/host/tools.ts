import type { AnyTool, Tool } from "@smith/contract/tool";
import { diskUsage } from "./disk-usage.ts";
import { getEnv } from "./env-get.ts";
import { listDir } from "./list-dir.ts";
import { DISK_S, DiskArguments, EnvArguments, type HostOptions, ListArguments, ProcessArguments } from "./options.ts";
import { listProcesses } from "./process-list.ts";

/** list_dir, process_list, disk_usage and env_get. */
export const createHostTools = (options: HostOptions): readonly AnyTool[] => {
  const list: Tool<ListArguments> = {
    name: "list_dir",
    description: "List a folder, breadth first: d name/, - name (N bytes), l name -> target.",
    schema: ListArguments,
    side_effects: "none",
    run: async (args, context) => listDir(args, context, options),
  };
  const processes: Tool<ProcessArguments> = {
    name: "process_list",
    description: "List processes: pid, name, command line; filter looks in both.",
    schema: ProcessArguments,
    side_effects: "none",
    run: async (args, { signal }) => listProcesses(args, signal, options),
  };
  const disk: Tool<DiskArguments> = {
    name: "disk_usage",
    description: "Bytes below each entry of a folder, largest first, and their total.",
    schema: DiskArguments,
    side_effects: "none",
    deadlineS: () => DISK_S + 5,
    run: async (args, context) => diskUsage(args, context, options),
  };
  const env: Tool<EnvArguments> = {
    name: "env_get",
    description: "Environment variables: their names, or whether keys are set; secrets stay masked.",
    schema: EnvArguments,
    side_effects: "none",
    run: async (args) => getEnv(args, options),
  };
  return Object.freeze([list, processes, disk, env].map((tool) => Object.freeze(tool)));
};
