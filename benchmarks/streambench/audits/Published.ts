/**
 * The published figures, printed beside the measured ones. Nothing is required to match them.
 *
 * @source Revisable by Design, tables 1, 3, 4 and 7, and appendices C, F, G and H
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

/** Wasted acts by ratio: 1, 0.75, 0.5, 0.25. */
export const byRatio: Partial<Record<Policy.Name, ReadonlyArray<number>>> = {
  absorber: [0, 1, 1, 0.9],
  "full restart": [4, 10.1, 15.1, 12.1]
}

/** Quality and wasted acts by kind, in the order of the kinds. */
export const byKind: Partial<Record<Policy.Name, ReadonlyArray<readonly [number, number]>>> = {
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
