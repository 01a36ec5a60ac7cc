/** All words for the completions of a shell: commands, their flags, and the flags of every command. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as Globals from "../../input/Globals.ts"

/** Names of arguments that are files, which a shell completes. */
const files: ReadonlySet<string> = new Set([
  "against",
  "agent",
  "file",
  "function",
  "headers",
  "ledger-schema",
  "new",
  "out",
  "pack",
  "record",
  "secret-file",
  "store",
  "table"
])

const folders: ReadonlySet<string> = new Set(["data"])

/** The tree of a program. Flags that the parser accepts for every command are listed at each command. */
export const of = (program: Command.Command.Any): Completions.CommandDescriptor =>
  completed(Completions.fromCommand(program), everywhere())

const everywhere = (): ReadonlyArray<Completions.FlagDescriptor> => {
  const builtIn = (name: string, alias: string, description: string) =>
    Flag.Boolean(name).pipe(Flag.withAlias(alias), Flag.withDescription(description), Flag.withoutNegation)
  const [store, tenant, json, debug] = Globals.flags
  const config = {
    help: builtIn("help", "h", "Show help information"),
    version: builtIn("version", "v", "Show version information"),
    store: store.flag,
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
  arguments: self.arguments.map(located),
  flags: [...self.flags, ...more].map(located),
  subcommands: self.subcommands.map((each) => completed(each, more))
})

const located = <A extends Completions.FlagDescriptor | Completions.ArgumentDescriptor>(self: A): A => {
  if (self.type._tag !== "String") return self
  if (files.has(self.name)) return { ...self, type: { _tag: "Path", pathType: "file" } }
  return folders.has(self.name) ? { ...self, type: { _tag: "Path", pathType: "directory" } } : self
}
