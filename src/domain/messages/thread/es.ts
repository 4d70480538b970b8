import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const es: Catalogue<typeof en> = {
  paused:
    "Me he detenido: los últimos {{count}} intentos con esta incidencia fallaron. El último fallo fue: {{error}}. Alguien con acceso a Relay puede mirar el registro y reanudarme.",
  specWritten: "La especificación está lista: {{path}}",
  specUpdated: "La especificación se ha actualizado: {{path}}",
  draftedWithoutModel: "Redactado sin modelo, mediante reglas.",
};
