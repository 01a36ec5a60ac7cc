/**
 * The published figures, printed beside the measured ones. Nothing is required to match them.
 *
 * @source Revisable by Design, tables 1, 3, 4, 6, 7 and 10, and appendices C, F, G and H
 */
import type * as Policy from "../harness/Policy.ts"

/** Quality, wasted acts, compensations and steps with a real model. */
export const policies: Partial<Record<Policy.Name, readonly [number, number, number, number]>> = {
  oracle: [3.79, 0, 0, 18],
  absorber: [3.07, 0.78, 0.78, 27.6],
  "full restart": [3.17, 11.41, 3.44, 30.2],
  "checkpoint-5": [2.96, 3.35, 2.26, 28],
  "LangGraph-interrupt": [2.9, 0.74, 0.74, 29.4],
  naive: [2.78, 0, 0, 28.2],
  ignore: [1.99, 0, 0, 22.9]
}

/** Quality and wasted acts of policies, in an order of what they are split by. */
export type Split = Partial<Record<Policy.Name, ReadonlyArray<readonly [quality: number, wasted: number]>>>

/** Quality and wasted acts by ratio: 1, 0.75, 0.5, 0.25. */
export const byRatio = {
  oracle: [
    [3.89, 0],
    [3.83, 0],
    [3.52, 0],
    [3.36, 0]
  ],
  absorber: [
    [3.7, 0],
    [3.06, 1],
    [2.84, 1],
    [2.92, 0.9]
  ],
  "full restart": [
    [3.93, 4],
    [3.07, 10.1],
    [2.8, 15.1],
    [2.67, 12.1]
  ],
  naive: [
    [3.7, 0],
    [2.78, 0],
    [2.96, 0],
    [2.92, 0]
  ],
  ignore: [
    [1.96, 0],
    [2.47, 0],
    [2.15, 0],
    [1.93, 0]
  ]
} as const satisfies Split

/** Quality and wasted acts by scenario: event planning, travel, report and publish. */
export const byScenario: Split = {
  oracle: [
    [3.04, 0],
    [3.96, 0],
    [3.94, 0]
  ],
  absorber: [
    [2.71, 0.69],
    [3.3, 0.75],
    [3.24, 0.75]
  ],
  "full restart": [
    [2.73, 11.89],
    [3.28, 8.97],
    [3.34, 9.97]
  ],
  naive: [
    [2.18, 0],
    [2.94, 0],
    [3.15, 0]
  ],
  ignore: [
    [2.06, 0],
    [2.16, 0],
    [2.16, 0]
  ]
}

/** Least quality, its quartiles, and the most. */
export const quartiles: Partial<Record<Policy.Name, readonly [number, number, number, number, number]>> = {
  oracle: [1, 4, 4, 4, 5],
  absorber: [1, 3, 3, 4, 4],
  "full restart": [1, 3, 3, 4, 4.67],
  naive: [1, 2, 3, 4, 5],
  ignore: [1, 1, 1, 3, 5]
}

/** Quality and wasted acts by kind, in the order of the kinds. */
export const byKind: Split = {
  oracle: [
    [3.94, 0],
    [3.33, 0],
    [3.68, 0],
    [4.94, 0],
    [3.5, 0]
  ],
  absorber: [
    [3.6, 0.8],
    [2.72, 0.7],
    [2.93, 0.8],
    [2.94, 0.9],
    [3.11, 0.9]
  ],
  "full restart": [
    [3.34, 9.7],
    [2.93, 10.4],
    [3.08, 10.8],
    [3.46, 14.1],
    [3.22, 15.5]
  ],
  naive: [
    [3.63, 0],
    [1.92, 0],
    [2.72, 0],
    [2.8, 0],
    [2.93, 0]
  ],
  ignore: [
    [3.19, 0],
    [1.69, 0],
    [1.5, 0],
    [2.06, 0],
    [1.07, 0]
  ]
}

/** Wasted acts from early to very late. */
export const timing: Partial<Record<Policy.Name, ReadonlyArray<number>>> = {
  absorber: [0, 0.49, 1.28, 2.1],
  "full restart": [0, 5.33, 6.67, 7.67]
}

/** Wasted acts after five revisions. */
export const fiveRevisions: Partial<Record<Policy.Name, number>> = { absorber: 2.7, "full restart": 11 }

/** The ratio of the waste of a full restart to that of the absorber, as the source states it. */
export const ratios = "14.6, 13.6 and 10.8 with models; about 12.6 in its deterministic sweep"

/** The length of plans, as the source states it. */
export const lengths = "about 1 and about 40 for a plan of 60 steps"
