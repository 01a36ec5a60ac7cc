/**
 * A stored state: small values inline, tables and lists as nodes by digest.
 *
 * Nodes are addressed by content, so a snapshot costs only the changes since the last one, and a hundred runs that
 * begin in the same state store it once.
 */

import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as List from "@backstitch/trace/List"
import type * as Node from "@backstitch/trace/Node"
import * as Table from "@backstitch/trace/Table"
import * as State from "./State.ts"

/** A place that keeps nodes. */
export interface Nodes {
  readonly has: Node.Has
  readonly put: Node.Put
}

interface Sections {
  readonly [name: string]: State.Section
}

/** Writes the manifest of sections: values inline, tables and lists by digest. */
export const manifest = (sections: Sections): string =>
  Canonical.encode(
    mapFields(sections, (field) =>
      Table.is(field) ? { table: field.digest() } : List.is(field) ? { list: field.digest() } : { value: field }
    )
  )

/**
 * Writes the nodes of tables and lists that `has` does not report as stored. `has` is not called for nodes that are
 * also in `since`, which are earlier sections that are stored.
 */
export const collect = (sections: Sections, { has, put }: Nodes, since: Sections = {}): void => {
  for (const [section, fields] of Object.entries(sections)) {
    for (const [name, field] of Object.entries(fields)) {
      const known = since[section]?.[name]
      if (Table.is(field)) Table.collect(field, has, put, Table.is(known) ? known : undefined)
      else if (List.is(field)) List.collect(field, has, put, List.is(known) ? known : undefined)
    }
  }
}

/**
 * Writes a state: answers the manifest, and stores the nodes that are neither stored yet nor part of the state
 * `since`.
 */
export const write = (state: State.State, nodes: Nodes, since?: State.State | undefined): string => {
  const sections = sectionsOf(state)
  collect(sections, nodes, since && sectionsOf(since))
  return manifest(sections)
}

const sectionsOf = ({ kernel, working, world }: State.State): Sections => ({ kernel, working, world })

/** Reads sections. Nodes are loaded at their first use, and then checked against their digest. */
export const readSections = (
  text: string,
  node: (digest: Digest) => string | undefined
): { readonly [name: string]: State.Section } =>
  mapFields(JsonText.read(text) as Manifest, (entry) =>
    "table" in entry ? Table.load(entry.table, node) : "list" in entry ? List.load(entry.list, node) : entry.value
  )

/** Reads a state. Nodes are loaded at their first use, and then checked against their digest. */
export const read = (text: string, node: (digest: Digest) => string | undefined): State.State => ({
  ...State.empty,
  ...readSections(text, node)
})

/** Digests of the roots that a manifest names, from which every node can be reached. */
export const roots = (text: string): ReadonlyArray<Digest> =>
  Object.values(JsonText.read(text) as Manifest).flatMap((section) =>
    Object.values(section).flatMap((entry) => ("table" in entry ? [entry.table] : "list" in entry ? [entry.list] : []))
  )

type Entry = { readonly table: Digest } | { readonly list: Digest } | { readonly value: Canonical.Json }

interface Manifest {
  readonly [section: string]: { readonly [name: string]: Entry }
}

const mapFields = <A, B>(
  sections: { readonly [section: string]: { readonly [name: string]: A } },
  change: (field: A) => B
): { readonly [section: string]: { readonly [name: string]: B } } =>
  Object.fromEntries(
    Object.entries(sections).map(([section, fields]) => [
      section,
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]))
    ])
  )
