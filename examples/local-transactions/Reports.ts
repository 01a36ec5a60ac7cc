/**
 * Reports in a folder: each is written under another name, read there, and renamed in one step.
 *
 * A file has no transaction, and needs none: a program that looks for the report does not find it under another name.
 * To rename the file is the commit, and to remove it is the rollback. A file that a crash leaves is overwritten by
 * the next attempt.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"

/** The arguments of the tool. */
export interface Report {
  readonly name: string
  readonly template: string
}

/** Names that templates may use. */
export interface Variables {
  readonly [name: string]: string
}

/** The tool on a folder. `{{name}}` in a template stands for a variable. */
export const folder = (root: string, variables: Variables = {}): ToolExecutor.Tool => {
  const place = (name: string): string => {
    if (name !== Path.basename(name) || name.startsWith(".")) throw new ToolExecutor.ToolRefused(`${name} is no name`)
    return Path.join(root, name)
  }
  const look = async (name: string, file: string): Promise<JsonObject | undefined> => {
    try {
      const text = await Fs.readFile(file, "utf8")
      return { name, text, lines: text.split("\n").length }
    } catch (cause) {
      if ((cause as { readonly code?: string }).code === "ENOENT") return undefined
      throw cause
    }
  }
  return ToolExecutor.transactional({
    open: async ({ name, template }: Report) => {
      const [final, beside] = [place(name), Path.join(root, `.${name}.part`)]
      const text = template.replaceAll(/\{\{(\w+)\}\}/g, (_, variable: string) => variables[variable] ?? "")
      await Fs.writeFile(beside, text, { flush: true })
      return {
        output: { bytes: Buffer.byteLength(text) },
        read: () => look(name, beside),
        commit: () => Fs.rename(beside, final),
        rollback: () => Fs.rm(beside, { force: true })
      }
    },
    readback: (_, { name }: Report) => look(name, place(name))
  })
}
