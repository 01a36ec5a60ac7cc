/** Jobs of agent processes, and the lines of JSON with which a process reports. */
import type * as FaultPoint from "@backstitch/runtime/FaultPoint"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type * as TravelPack from "./TravelPack.ts"

/** The place of a store: the name of a SQLite file, or a schema of a Postgres database. */
export type Store =
  | { readonly dialect: "sqlite"; readonly filename: string }
  | { readonly dialect: "postgres"; readonly url: string; readonly schema: string }

/**
 * The moment of a death: the n-th time that a place is reached, or that any place is reached (`any`), counted from
 * the proposal of a tool or from the beginning of the process.
 */
export interface Death {
  readonly place: FaultPoint.PointName | "any"
  readonly nth: number
  readonly tool?: string
}

/** Work on a run: begin it, or continue it. */
export interface Job {
  readonly id: number
  readonly store: Store
  readonly tenant: string
  readonly world: string
  readonly times: TravelPack.Times
  readonly death?: Death | undefined
  /** The pivot, if it differs from that of the contract. */
  readonly pivot?: TravelPack.Variation["pivot"]
  /** Steps of the agent that it leaves out. */
  readonly without?: ReadonlyArray<string> | undefined
  /** The traveller may revise the goal, and the agent searches and books once more for what they want then. */
  readonly isRevisable?: boolean | undefined
  /** The agent's tools drop the key: this is the control, which has to fail. */
  readonly isKeyless?: boolean | undefined
  /** A cancellation is read back from a record of its own, which does not exist before. */
  readonly isApart?: boolean | undefined
  /** The file of a desk that assigns a seat in a local transaction, in place of the trip in the world. */
  readonly desk?: string | undefined
}

/** A line of a process: a commit that was acknowledged to it, or the end of its work. */
export type Line =
  | { readonly id: number; readonly acknowledged: Acknowledged }
  | { readonly id: number; readonly ended: string }

/** The last transition of a commit. */
export interface Acknowledged {
  readonly tick: number
  readonly link: string
}

/** The layer of a store. */
export const storeLayer = (store: Store): SqlTraceStore.SqlLayer =>
  store.dialect === "sqlite"
    ? SqlTraceStore.layerSqlite({ filename: store.filename })
    : SqlTraceStore.layerPostgres({ url: store.url, schema: store.schema, connectionsMax: 2 })
