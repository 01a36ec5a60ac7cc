/** Commands of version control. */
import * as Command from "effect/cli/Command"
import * as Handler from "../program/Handler.ts"
import { bisect } from "./causes/bisect.ts"
import { blame } from "./causes/blame.ts"
import { contributors } from "./causes/contributors.ts"
import { list } from "./predicates/predicateList.ts"
import { register } from "./predicates/predicateRegister.ts"
import { test } from "./predicates/predicateTest.ts"
import { fixture } from "./releases/fixture.ts"
import { cherryPick } from "./versions/cherryPick.ts"
import { diff } from "./versions/diff.ts"
import { fork } from "./versions/fork.ts"
import { log } from "./versions/log.ts"
import { rebase } from "./versions/rebase.ts"
import { replay } from "./versions/replay.ts"
import { seed } from "./versions/seed.ts"

const predicate = Command.make("predicate").pipe(
  Command.withDescription("Try predicates before a pack relies on them, and list those that bind a run."),
  Command.withShortDescription("Try and list predicates"),
  Command.withSubcommands([
    Handler.bind(register, () => import("./predicates/predicateRegister.run.ts"), "predicate"),
    Handler.bind(test, () => import("./predicates/predicateTest.run.ts"), "predicate"),
    Handler.bind(list, () => import("./predicates/predicateList.run.ts"), "predicate")
  ])
)

/** The commands of the group, each with its handler. */
export const commands = [
  Handler.bind(log, () => import("./versions/log.run.ts")),
  Handler.bind(fork, () => import("./versions/fork.run.ts")),
  Handler.bind(cherryPick, () => import("./versions/cherryPick.run.ts")),
  Handler.bind(rebase, () => import("./versions/rebase.run.ts")),
  Handler.bind(seed, () => import("./versions/seed.run.ts")),
  Handler.bind(diff, () => import("./versions/diff.run.ts")),
  Handler.bind(bisect, () => import("./causes/bisect.run.ts")),
  Handler.bind(contributors, () => import("./causes/contributors.run.ts")),
  Handler.bind(blame, () => import("./causes/blame.run.ts")),
  Handler.bind(replay, () => import("./versions/replay.run.ts")),
  Handler.bind(fixture, () => import("./releases/fixture.run.ts")),
  predicate
] as const
