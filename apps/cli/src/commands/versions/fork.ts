/** `backstitch fork`: begins a run that shares the history of another up to a tick. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN[@TICK]"),
    Argument.withDescription("Run to share history with, and the last tick to share")
  ),
  from: Flags.tick("from", "Last tick to share, where it is not named with the run"),
  as: Flags.text("as", "NEW", "Name for the fork"),
  reason: Flags.text("reason", "TEXT", "Why: it is committed with the fork"),
  pack: Flags.file("pack", "FILE", "Pack from there on"),
  policy: Flags.texts("policy", "EXPR", "Refuse tool calls for which this holds from there on; no other step"),
  toolPolicy: Flags.texts("tool-policy", "TOOL=RULE", "deny a tool, or ask a person to approve it, from there on"),
  budget: Flags.texts("budget", "SHARE", "Take this from what the run has left: 50%, steps=10 or money.CHF=1.50"),
  behindUndone: Flags.flag(
    "behind-undone",
    "Begin also where the state believes what the run has undone since: the world does not show it any more"
  ),
  agent: Flags.agent
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const fork = Command.make("fork", config).pipe(
  Command.withDescription(
    "Begin a run that shares the history of another up to a tick, verified by folding it. From there on the pack, " +
      "the policy or the tools may be others. --policy and --tool-policy are asked about tool calls alone: to refuse an " +
      "observation or a plan, give a --pack with a guard on its type."
  ),
  Command.withShortDescription("Begin a run from a tick of another"),
  Command.withExamples([
    { command: 'backstitch fork trip-42 --from 6 --as trip-43 --reason "before the charge"', description: "Fork" },
    {
      command: "backstitch fork trip-42 --from 6 --tool-policy charge_card=approve --agent travel.ts",
      description: "Fork under a stricter rule and go on at once"
    }
  ])
)
