import { suite } from "../../conformance/src/suites/VaultSuite.ts"
import * as Vault from "../src/port/Vault.ts"

suite("memory", Vault.layerMemory)
