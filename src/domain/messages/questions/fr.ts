import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const fr: Catalogue<typeof en> = {
  greeting: "@{{login}}, j'ai lu la discussion et regardé le code. Avant d'écrire une spécification :",
  closing:
    "Répondez par numéro, avec vos mots. Rien ne se passe tant que vous ne l'avez pas fait, ou que personne n'a dit de continuer avec les hypothèses.",
  severity_blocking: "bloquant",
  severity_high: "important",
  severity_medium: "utile à savoir",
  severity_low: "mineur",
  why: "Pourquoi c'est important : {{text}}",
  default: "Sans avis contraire, je supposerai : {{text}}",
  q_reproduction:
    "Comment le reproduire ? La plus petite entrée ou les étapes qui le montrent, et la version utilisée.",
  w_reproduction: "le rapport ne contient ni étapes, ni entrée, ni trace menant à un endroit du code.",
  d_reproduction: "cela se produit sur le chemin indiqué par la recherche dans le code, avec les réglages par défaut.",
  q_expected: "Que devrait-il se passer à la place ?",
  w_expected: "le rapport dit ce qui ne va pas, mais pas ce qui serait correct.",
  d_expected: "l'opération réussit sans l'erreur signalée, et tout le reste demeure inchangé.",
  q_actual: "Que se passe-t-il exactement : la mauvaise sortie ou le message d'erreur complet ?",
  w_actual: "le rapport ne nomme ni sortie ni erreur à chercher.",
  d_actual: "le symptôme est exactement celui du titre.",
  q_acceptance: "Comment saurez-vous que c'est terminé ? Une ou deux vérifications qui doivent passer.",
  w_acceptance: "sans cela, la demande peut se lire et se conclure de plusieurs façons.",
  d_acceptance: "c'est terminé quand le cas du titre fonctionne et que les tests existants passent.",
  q_scope: "Qu'est-ce qui fait partie de la demande, et que faut-il laisser intact ?",
  w_scope: "la demande touche plusieurs endroits : {{text}}.",
  d_scope: "seulement ce que demande le titre ; tout le reste demeure inchangé.",
  d_scope_here: "seul {{text}} change ; tout le reste demeure inchangé.",
  q_compatibility: "Les appels, données et réglages existants doivent-ils continuer à fonctionner tels quels ?",
  w_compatibility: "{{text}} est utilisé depuis d'autres fichiers.",
  d_compatibility: "oui : le comportement existant reste compatible.",
  gate: "Tout ce qui pouvait changer le résultat est réglé. Dois-je écrire la spécification ? Répondez « vas-y » et je le ferai ; d'ici là j'attends.",
  gate_found:
    "Tout ce qui pouvait changer le résultat est réglé ; l'endroit dans le code est {{text}}. Dois-je écrire la spécification ? Répondez « vas-y » et je le ferai ; d'ici là j'attends.",
  gate_revision:
    "J'ai lu votre commentaire. Dois-je réviser la spécification en conséquence ? Répondez « vas-y » et je le ferai ; d'ici là elle reste telle quelle.",
  assumptions: "Je continue. Ces questions sont restées ouvertes, je suppose donc :",
  assumption: "question {{number}} : {{question}} Je suppose : {{text}}",
  found_frame: "{{place}} figure dans la trace du rapport.",
  found_named: "{{place}} est cité dans le rapport sous le nom `{{text}}`.",
  found_module: "{{place}} appartient au module `{{text}}` que cite le rapport.",
  found_message: "{{place}} contient le message « {{text}} » du rapport.",
  found_defines: "{{place}} définit `{{text}}`, que cite le rapport.",
  found_words: "Dans {{place}}, le code traite de ce que décrit le rapport ({{text}}).",
  found_test: "Les tests de {{text}} se trouvent dans {{place}}.",
};
