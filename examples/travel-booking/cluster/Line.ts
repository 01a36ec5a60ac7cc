/** The lines of JSON between the driver and a node: what it is asked on standard input, and what it says. */
import type * as TravelPack from "../crash/TravelPack.ts"

/**
 * The beginning of a node: the database, the port of its socket, the world in which its agent acts, and the time for
 * which the agent thinks before each step, as a model would.
 */
export interface Settings {
  readonly url: string
  readonly port: number
  readonly world: string
  readonly times: TravelPack.Times
  readonly shardLockMillis: number
  readonly thinkMillis: number
}

/** A request: begin a run, or drain and end. */
export type Asked = { readonly start: string } | { readonly drain: true }

/** A line of a node: it is ready, a run was begun or could not be, or a commit was acknowledged to it. */
export type Said =
  | { readonly ready: true }
  | { readonly started: string; readonly problem?: string | undefined }
  | { readonly tenant: string; readonly tick: number; readonly link: string }

/** The name of each run: every one belongs to a tenant of its own, so that none is answered by another's acts. */
export const run = "trip"
