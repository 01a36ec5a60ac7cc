/**
 * The three frozen scenarios.
 *
 * They were written from the published description before any policy was compared on them, and a test pins their
 * digest. A result that differs from the published one is reported, and moves no scenario.
 *
 * @source Revisable by Design, section 7 and appendix A
 */
import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import { eventPlanning } from "./eventPlanning.ts"
import { reportAndPublish } from "./reportAndPublish.ts"
import type * as Scenario from "./Scenario.ts"
import * as Setting from "./Setting.ts"
import { travel } from "./travel.ts"

/** The scenarios, in the order in which they are reported. */
export const all: ReadonlyArray<Scenario.Scenario> = [eventPlanning, travel, reportAndPublish]

/** Settings of every scenario at every ratio. */
export const settings = (seed: number, parts = 1): ReadonlyArray<Setting.Setting> =>
  all.flatMap((scenario) => Setting.ratios.map((ratio) => Setting.make(scenario, { parts, ratio, seed })))

/** The digest of all that was decided in advance about them: the scenarios, and their settings under one seed. */
export const digest: string = Digest.ofBytes(Canonical.encode(JSON.parse(JSON.stringify([all, settings(0)]))))
