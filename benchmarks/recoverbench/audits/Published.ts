/**
 * The published outcomes, printed beside the measured ones. Nothing is required to match them here.
 *
 * @source DART, tables 1 and 9
 */
import type * as Strategy from "../harness/Strategy.ts"
import type * as Domain from "../universe/Domain.ts"

/** Success, replayed steps, those of other instances, preserved instances, and the status; `–` where none is given. */
type Row = readonly [
  success: number,
  replay: number | "–",
  upstream: number | "–",
  preserved: number | "–",
  status: string
]

type Rows = Partial<Record<Domain.Name, Partial<Record<Strategy.Name, Row>>>>

/** Published outcomes by regime, domain and strategy. Tables of ETL and travel leave coarse state and preserved out. */
export const outcomes: Readonly<Record<"commitment" | "official", Rows>> = {
  commitment: {
    navigation: {
      "retry only": [1, 18, 14, 0, "ok"],
      "coarse state": [1, 4, 0, 2, "ok"],
      "entry only": [0, "–", "–", "–", "contract"],
      "latest admissible": [1, 1, 0, 2, "ok"]
    },
    "schedule form": {
      "retry only": [1, 29, 24, 0, "ok"],
      "entry only": [0, "–", "–", "–", "no-recov"],
      "latest admissible": [1, 1, 0, 5, "ok"]
    },
    diagnosis: {
      "retry only": [1, 16.5, 10.5, 0, "ok"],
      "coarse state": [1, 5, 0, 2.5, "ok"],
      "entry only": [0, "–", "–", "–", "no-recov"],
      "latest admissible": [1, 2, 0, 2.5, "ok"]
    },
    "etl pipeline": {
      "retry only": [1, 22, 15, "–", "ok"],
      "entry only": [0, "–", "–", "–", "no-recov"],
      "latest admissible": [1, 1, 0, "–", "ok"]
    },
    "travel planning": {
      "retry only": [1, 17, 0, "–", "ok"],
      "entry only": [0, "–", "–", "–", "blocked"],
      "latest admissible": [1, 1, 0, "–", "ok"]
    }
  },
  official: {
    navigation: {
      "retry only": [1, 10, 6, 0, "ok"],
      "coarse state": [1, 5, 0, 1, "ok"],
      "entry only": [1, 5, 0, 1, "ok"],
      "latest admissible": [1, 5, 0, 1, "ok"]
    },
    "schedule form": {
      "retry only": [1, 21, 15, 0, "ok"],
      "coarse state": [1, 4.5, 0, 3.5, "ok"],
      "entry only": [1, 4.5, 0, 3.5, "ok"],
      "latest admissible": [1, 4.5, 0, 3.5, "ok"]
    },
    diagnosis: {
      "retry only": [1, 11, 5, 0, "ok"],
      "coarse state": [1, 5, 0, 1, "ok"],
      "entry only": [1, 5, 0, 1, "ok"],
      "latest admissible": [1, 5, 0, 1, "ok"]
    },
    "etl pipeline": {
      "retry only": [1, 10, 5, "–", "ok"],
      "entry only": [1, 4, 0, "–", "ok"],
      "latest admissible": [1, 4, 0, "–", "ok"]
    },
    "travel planning": {
      "retry only": [1, 7, 0, "–", "ok"],
      "entry only": [1, 1, 0, "–", "ok"],
      "latest admissible": [1, 1, 0, "–", "ok"]
    }
  }
}
