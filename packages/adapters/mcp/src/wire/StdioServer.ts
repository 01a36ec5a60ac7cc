/** A server that is a program of its own, with messages on its stdin and stdout, as MCP has it for stdio. */
import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import * as Limits from "../Limits.ts"
import * as Wire from "./Wire.ts"

/** A program and its arguments. */
export type ServerProgram = readonly [program: string, ...args: ReadonlyArray<string>]

/** A server that was started. */
export interface StdioServer extends Wire.Served {
  readonly child: ChildProcess
}

/** Error for a program that cannot be started. */
export class ServerUnstarted extends Error {
  readonly _tag = "ServerUnstarted"

  constructor([program]: ServerProgram, cause: NodeJS.ErrnoException) {
    const why = cause.code === "ENOENT" ? "there is no such program" : cause.message
    super(`The server ${program} cannot be started: ${why}. Name the program after --, as in a terminal`)
  }
}

/** Makes the function that starts a program for each session. */
export const starting =
  (command: ServerProgram): Wire.Start =>
  () =>
    start(command)

/** Starts a program. What it writes to stderr goes to stderr. */
export const start = async (command: ServerProgram): Promise<StdioServer> => {
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<string>((resolve) => {
    child.once("close", (code, signal) => {
      resolve(signal === null ? `the server ended with code ${code}` : `the server was ended by ${signal}`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve)
    child.once("error", (cause) => reject(new ServerUnstarted(command, cause)))
  })
  child.on("error", () => {})
  const wire = { ...Wire.writerOf(child.stdin), arriving: Wire.linesOf(child.stdout), ended }
  return {
    ...wire,
    child,
    stop: () => stop({ ...wire, child }, Limits.pacing.stopMillis),
    hold: (isHeld) => {
      for (const each of [child, child.stdin as Socket, child.stdout as Socket]) {
        if (isHeld) each.ref()
        else each.unref()
      }
    }
  }
}

/** Ends a server: its stdin first, as MCP asks, and by a signal if it stays. */
export const stop = async ({ child, end, ended }: Omit<StdioServer, "stop">, graceMillis: number): Promise<void> => {
  end()
  const signals = ["SIGTERM", "SIGKILL"] as const
  for (const signal of signals) {
    if (await within(ended, graceMillis)) return
    child.kill(signal)
  }
  // A program that the server has started may hold its stdout open.
  if (!(await within(ended, graceMillis))) child.stdout?.destroy()
}

const within = async (ended: Promise<string>, millis: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), millis)
  })
  const isOver = await Promise.race([ended.then(() => true), late])
  clearTimeout(timer)
  return isOver
}
