/** Scenes of a small clock, and the laws that they are about. */
import * as ExplorerLaws from "../src/explorer/ExplorerLaws.ts"
import * as Scenario from "../src/explorer/Scenario.ts"

export const times: Scenario.Times = { sendWithin: 1, settleAfter: 1, keyRetention: 50 }

export const duplicate = "no effect happens twice, and none is undone twice (L14)"
export const wrongFailure = "no effect that happened is recorded as failed or refused (L14)"

export const short = (
  kind: Scenario.ToolAbilities,
  faults: Partial<Scenario.Faults>,
  changes: Partial<Scenario.Scenario> = {}
) => Scenario.make(kind, { times, horizon: 2, faults: { ...Scenario.calm, ...faults }, ...changes })

/** A tool that holds its effect open until it is judged. */
export const held = (
  transaction: "as_asked" | "astray",
  faults: Partial<Scenario.Faults>,
  changes: Partial<Scenario.Scenario> = {}
) => short("neither", faults, { transaction, ...changes })

/** The law by which a kernel is to be found out: others may see it as well, in another state. */
export const lawsOf = (name: string) => ExplorerLaws.all.filter((law) => law.name === name)
