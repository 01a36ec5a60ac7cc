import type * as Command from "effect/cli/Command"
import { assert, describe, it } from "vitest"
import { root } from "../src/Cli.ts"
import * as ServerUse from "../src/server/ServerUse.ts"

/** The words of every command that does something. */
const leaves = ({ name, subcommands }: Command.Command.Any, before: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = [...before, name]
  const under = subcommands.flatMap(({ commands }) => commands)
  return under.length === 0 ? [path.slice(1).join(" ")] : under.flatMap((each) => leaves(each, path))
}

describe("ServerUse", () => {
  it("says of every command how it is carried out with --server, and of no other", () => {
    assert.deepStrictEqual(Object.keys(ServerUse.table).sort(), [...leaves(root, [])].sort())
  })

  it("says what to do instead of a command that works where the store is", () => {
    for (const [command, use] of Object.entries(ServerUse.table)) {
      if (typeof use === "object") assert.match(use.instead, /^[A-Z].*[^.]$/, command)
    }
  })
})
