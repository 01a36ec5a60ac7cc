/** A figure with a target of the project: the measured quantity, its marks, and its result. */
import * as Statistics from "./Statistics.ts"

/** A figure with its two marks: a limit, and an aim. */
export interface Figure {
  readonly name: string
  readonly title: string
  readonly better: "more" | "less"
  readonly within?: number | undefined
  readonly aim?: number | undefined
  readonly unit: "x" | "ms" | "s" | "MB" | "kB" | "/s" | "%" | "per step" | "events"
  /** The durability of both sides: which writes would survive a power cut. */
  readonly durability: string
}

/** The result of a figure: samples, or the reason why there are none. */
export interface Measured {
  readonly figure: Figure
  readonly samples: ReadonlyArray<number>
  /** Absolute values behind a ratio, for people: they apply only to this machine at this time. */
  readonly note?: string | undefined
  readonly absent?: string | undefined
}

/** The verdict on a figure by its marks; `reported` for a figure without marks. */
export type Verdict = "ok" | "aim met" | "misses" | "absent" | "reported"

/** A benchmark: several figures that are measured together. */
export interface Benchmark {
  readonly name: string
  readonly run: (context: Context) => Promise<ReadonlyArray<Measured>>
}

/**
 * The context of a benchmark: the number of pairs, a folder of its own, a database if there is one, and a function
 * that reports progress.
 */
export interface Context {
  readonly runs: number
  readonly folder: string
  readonly postgres: () => Promise<string>
  /** Another server with the same settings, whose data are on a RAM disk; `undefined` if there is none. */
  readonly postgresOnRamDisk: () => Promise<string | undefined>
  readonly say: (line: string) => void
}

/** Records samples of a figure. */
export const measured = (figure: Figure, samples: ReadonlyArray<number>, note?: string): Measured => ({
  figure,
  samples,
  note
})

/** Records that a figure could not be measured, and the reason. */
export const absent = (figure: Figure, reason: string): Measured => ({ figure, samples: [], absent: reason })

/** Records the ratios of pairs, with the medians of both sides as a note. */
export const ratio = (figure: Figure, { ours, ratios, theirs }: Statistics.Paired, unit: string): Measured =>
  measured(figure, ratios, `${round(ours)} ÷ ${round(theirs)} ${unit}`)

/** Judges the median by the marks. */
export const verdict = ({ absent, figure, samples }: Measured): Verdict => {
  if (absent !== undefined || samples.length === 0) return "absent"
  if (figure.within === undefined) return "reported"
  const value = Statistics.median(samples)
  const meets = (mark: number): boolean => (figure.better === "more" ? value >= mark : value <= mark)
  if (!meets(figure.within)) return "misses"
  return figure.aim !== undefined && meets(figure.aim) ? "aim met" : "ok"
}

/** Writes a number with its significant digits. */
export const round = (value: number): string => {
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString("en-GB")
  if (size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return size >= 0.1 || size === 0 ? value.toFixed(2) : value.toPrecision(2)
}
