/** All words for the completions of a shell: commands, their flags, and the flags of every command. */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as Globals from "../../input/Globals.ts"

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
  flags: [...self.flags, ...more],
  subcommands: self.subcommands.map((each) => completed(each, more))
})
