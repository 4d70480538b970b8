import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const fr: Catalogue<typeof en> = {
  paused:
    "Je me suis arrêté : les {{count}} dernières tentatives sur ce ticket ont échoué. La dernière erreur était : {{error}}. Une personne ayant accès à Relay peut consulter le journal et me relancer.",
  specWritten: "La spécification est prête : {{path}}",
  specUpdated: "La spécification a été mise à jour : {{path}}",
  draftedWithoutModel: "Rédigé sans modèle, par des règles.",
};
