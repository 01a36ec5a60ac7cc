/**
 * Measures how well cracks are found: recall and precision by topology, along the severity.
 *
 * A planted run counts as found if the first suspect of its diagnosis is the planted crack. A false alarm is a healthy
 * run of any topology in which the crack is found, or a planted run of another topology whose first suspect it is.
 */

import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Crack from "@backstitch/topology/Crack"
import * as Diagnosis from "@backstitch/topology/Diagnosis"
import * as Harder from "./Harder.ts"
import * as Planted from "./Planted.ts"
import { Recording } from "./Recording.ts"

/** A point of a curve. Without a planted run that is found, and without a false alarm, precision has no value. */
export interface Point {
  readonly severity: number
  readonly recall: number
  readonly precision: number | undefined
}

/** The curve of a topology. `undeclared` is the recall of the same runs at the seeded severity, without their pack. */
export interface Curve {
  readonly kind: Topology.TopologyKind
  readonly crack: Crack.CrackName
  readonly severity: string
  readonly seeded: Point
  readonly undeclared: number
  readonly recognised: number
  readonly points: ReadonlyArray<Point>
}

/** The mark of recall and of precision at the severity that the source describes. */
export const mark = 0.95

const diagnosed = (transitions: ReturnType<typeof Planted.ill>, declared?: Topology.Topology): Diagnosis.Diagnosis =>
  Diagnosis.of(transitions, { contractOf: ToolContract.unknown, declared, isOver: declared === undefined })

const seedOf = (planted: Planted.Planted, group: number, index: number): number =>
  1_000_003 * Planted.all.indexOf(planted) + 10_007 * group + index

/** Measures every topology, with a number of runs for each point. */
export const measure = (runs: number): ReadonlyArray<Curve> => {
  const indices = Array.from({ length: runs }, (_, index) => index)
  const found = (planted: Planted.Planted, severity: number): ReadonlyArray<Crack.CrackName | undefined> => {
    const group = 1 + planted.severities.indexOf(severity)
    return indices.map((index) => {
      const transitions = Planted.ill(planted, severity, seedOf(planted, group, index))
      return diagnosed(transitions, planted.declared).cracks[0]?.crack
    })
  }
  const seeded = Planted.all.map((planted) => ({ planted, suspects: found(planted, planted.seeded) }))
  const alarms = Planted.all.flatMap((planted) =>
    indices.map((index) => {
      const transitions = Planted.healthy(planted, seedOf(planted, 0, index))
      return new Set(diagnosed(transitions, planted.declared).cracks.map(({ crack }) => crack))
    })
  )
  return Planted.all.map((planted): Curve => {
    const { crack, declared, kind, severities, severity } = planted
    const strays = seeded.flatMap((other) => (other.planted === planted ? [] : other.suspects))
    const false_ = alarms.filter((names) => names.has(crack)).length + strays.filter((name) => name === crack).length
    const pointAt = (at: number): Point => {
      const hits = found(planted, at).filter((name) => name === crack).length
      return { severity: at, recall: hits / runs, precision: hits + false_ === 0 ? undefined : hits / (hits + false_) }
    }
    const group = 1 + severities.indexOf(planted.seeded)
    const bare = indices.map((index) => diagnosed(Planted.ill(planted, planted.seeded, seedOf(planted, group, index))))
    const points = severities.map(pointAt)
    return {
      kind,
      crack,
      severity,
      points,
      seeded: points[group - 1]!,
      undeclared: bare.filter(({ cracks }) => cracks[0]?.crack === crack).length / runs,
      recognised: bare.filter(({ looksLike }) => looksLike === declared.kind).length / runs
    }
  })
}

/** The share of runs of a harder kind that were found, or in which there was a false alarm. */
export interface Hard {
  readonly kind: Topology.TopologyKind
  readonly name: string
  readonly crack: Crack.CrackName | undefined
  /** Planted runs whose first suspect is the crack. */
  readonly found: number | undefined
  /** Healthy runs in which any crack is found. */
  readonly alarms: number | undefined
}

/** Measures the runs that are meant to mislead, with a number of runs for each kind. */
export const measureHarder = (runs: number, kinds: ReadonlyArray<Harder.Harder> = Harder.all): ReadonlyArray<Hard> =>
  kinds.map(({ crack, declared, make, name }, kind): Hard => {
    const diagnoses = Array.from({ length: runs }, (_, index) => {
      const recording = new Recording(77_000_001 + 10_007 * kind + index)
      make(recording)
      return diagnosed(recording.transitions, declared)
    })
    const share = (holds: (diagnosis: Diagnosis.Diagnosis) => boolean): number => diagnoses.filter(holds).length / runs
    const isIll = crack !== undefined
    return {
      kind: declared.kind,
      name,
      crack,
      found: isIll ? share(({ cracks }) => cracks[0]?.crack === crack) : undefined,
      alarms: isIll ? undefined : share(({ cracks }) => cracks.length > 0)
    }
  })

/** Tells whether recall and precision meet the mark at the seeded severity. */
export const meets = ({ seeded: { precision = 0, recall } }: Curve): boolean => recall >= mark && precision >= mark
