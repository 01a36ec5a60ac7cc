/** All words for the completions of a shell: commands, their flags, and the flags of every command. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as Globals from "../../input/Globals.ts"

/** Names of arguments that are files, which a shell completes. */
const files: ReadonlySet<string> = new Set([
  "against",
  "agent",
  "canary",
  "check",
  "file",
  "function",
  "headers",
  "html",
  "key",
  "ledger-schema",
  "log",
  "new",
  "out",
  "pack",
  "policy",
  "recipient",
  "record",
  "revision",
  "secret-file",
  "store",
  "table",
  "vault"
])

const folders: ReadonlySet<string> = new Set(["data"])

/** Flags that stand for something else in one command than in the others. */
const exceptions: { readonly [command: string]: { readonly [flag: string]: "directory" | "text" } } = {
  copy: { to: "directory" },
  fixture: { out: "directory" },
  fork: { policy: "text" }
}

/** The tree of a program. Flags that the parser accepts for every command are listed at each command. */
export const of = (program: Command.Command.Any): Completions.CommandDescriptor =>
  completed(Completions.fromCommand(program), everywhere())

const everywhere = (): ReadonlyArray<Completions.FlagDescriptor> => {
  const builtIn = (name: string, alias: string, description: string) =>
    Flag.Boolean(name).pipe(Flag.withAlias(alias), Flag.withDescription(description), Flag.withoutNegation)
  const [store, server, tenant, json, debug] = Globals.flags
  const config = {
    help: builtIn("help", "h", "Show help information"),
    version: builtIn("version", "v", "Show version information"),
    store: store.flag,
    server: server.flag,
    tenant: tenant.flag,
    json: json.flag,
    debug: debug.flag
  }
  return Completions.fromCommand(Command.make("any", config)).flags
}

const completed = (
  self: Completions.CommandDescriptor,
  more: ReadonlyArray<Completions.FlagDescriptor>
): Completions.CommandDescriptor => ({
  ...self,
  arguments: self.arguments.map((each) => located(each, self.name)),
  flags: [...self.flags, ...more].map((each) => located(each, self.name)),
  subcommands: self.subcommands.map((each) => completed(each, more))
})

const located = <A extends Completions.FlagDescriptor | Completions.ArgumentDescriptor>(
  self: A,
  command: string
): A => {
  if (self.type._tag !== "String") return self
  const kind =
    exceptions[command]?.[self.name] ?? (files.has(self.name) ? "file" : folders.has(self.name) && "directory")
  return kind === "file" || kind === "directory" ? { ...self, type: { _tag: "Path", pathType: kind } } : self
}
