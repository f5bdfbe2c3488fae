"""Sentences in other languages than English, and what theorems and proofs are called in them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """A language to write articles in.

    Attributes:
        statement: What statements are called.
        proof: How proofs begin.
        sentences: What they say, without formulas.
    """

    statement: str
    proof: str
    sentences: tuple[str, ...]


# By the codes of ISO 639.
LANGUAGES: dict[str, Language] = {
    "fr": Language(
        "Théorème",
        "Démonstration.",
        (
            "Soit une fonction continue sur un espace compact, dont on note la borne supérieure.",
            "Nous allons montrer que cette suite converge vers une limite qui ne dépend pas du choix.",
            "On suppose désormais que tous les anneaux sont commutatifs et possèdent une unité.",
            "Il suffit donc de vérifier la propriété pour les éléments de la base.",
            "D'après l'hypothèse de récurrence, il existe un tel sous-groupe, et il est unique.",
            "La réciproque est fausse en général, comme le montre l'exemple suivant.",
            "Puisque cette application est injective, son noyau est réduit à zéro.",
            "En passant à la limite sous le signe somme, on obtient l'égalité cherchée.",
            "Ceci achève la preuve du lemme, et le théorème s'en déduit aussitôt.",
            "Les deux membres de cette inégalité sont des fonctions croissantes de la variable.",
        ),
    ),
    "de": Language(
        "Satz",
        "Beweis.",
        (
            "Wir zeigen zunächst, dass die Folge gegen einen Grenzwert konvergiert, der nicht davon abhängt.",
            "Es genügt, die Behauptung für die Elemente einer Basis nachzuweisen.",
            "Nach Voraussetzung ist die Abbildung stetig und ihr Bild abgeschlossen.",
            "Alle Ringe seien im Folgenden kommutativ und besitzen ein Einselement.",
            "Daraus folgt sofort, dass der Kern dieser Abbildung nur aus der Null besteht.",
            "Umgekehrt sei ein solches Element gegeben, und wir nehmen an, es sei nicht eindeutig.",
            "Mit vollständiger Induktion erhalten wir die gewünschte Gleichung für jede natürliche Zahl.",
            "Die beiden Seiten der Ungleichung sind monoton wachsende Funktionen der Veränderlichen.",
            "Da der Raum kompakt ist, besitzt jede offene Überdeckung eine endliche Teilüberdeckung.",
            "Damit ist der Hilfssatz bewiesen, und der Satz ergibt sich ohne weitere Mühe.",
        ),
    ),
    "ru": Language(
        "Теорема",
        "Доказательство.",
        (
            "Покажем сначала, что эта последовательность сходится к пределу, который не зависит от выбора.",
            "Достаточно проверить утверждение для элементов некоторого базиса.",
            "По предположению отображение непрерывно, а его образ замкнут.",
            "Все кольца в этой работе предполагаются коммутативными и имеют единицу.",
            "Отсюда сразу следует, что ядро этого отображения состоит только из нуля.",
            "Обратно, пусть дан такой элемент, и предположим, что он не единственный.",
            "По индукции получаем нужное равенство для каждого натурального числа.",
            "Обе части неравенства являются возрастающими функциями переменной.",
            "Так как пространство компактно, из каждого открытого покрытия можно выбрать конечное.",
            "Тем самым лемма доказана, и теорема вытекает из неё без труда.",
        ),
    ),
    "es": Language(
        "Teorema",
        "Demostración.",
        (
            "Mostramos primero que la sucesión converge hacia un límite que no depende de la elección.",
            "Basta con comprobar la afirmación para los elementos de una base del espacio.",
            "Por hipótesis, la aplicación es continua y su imagen es un conjunto cerrado.",
            "En lo que sigue, todos los anillos son conmutativos y tienen un elemento unidad.",
            "De aquí se deduce que el núcleo de esta aplicación se reduce a cero.",
            "Recíprocamente, sea dado un elemento como este y supongamos que no es único.",
            "Por inducción obtenemos la igualdad deseada para cada número natural.",
            "Los dos lados de la desigualdad son funciones crecientes de la variable.",
            "Como el espacio es compacto, todo recubrimiento abierto contiene uno finito.",
            "Esto termina la prueba del lema, y el teorema se sigue de él sin dificultad.",
        ),
    ),
    "it": Language(
        "Teorema",
        "Dimostrazione.",
        (
            "Mostriamo anzitutto che la successione converge a un limite che non dipende dalla scelta.",
            "Basta verificare l'affermazione per gli elementi di una base dello spazio.",
            "Per ipotesi l'applicazione è continua e la sua immagine è un insieme chiuso.",
            "Nel seguito tutti gli anelli sono commutativi e hanno un elemento unità.",
            "Ne segue subito che il nucleo di questa applicazione contiene soltanto lo zero.",
            "Viceversa, sia dato un elemento di questo tipo e supponiamo che non sia unico.",
            "Per induzione otteniamo l'uguaglianza desiderata per ogni numero naturale.",
            "I due membri della disuguaglianza sono funzioni crescenti della variabile.",
            "Poiché lo spazio è compatto, ogni ricoprimento aperto ne contiene uno finito.",
            "Questo conclude la dimostrazione del lemma, e il teorema ne discende senza fatica.",
        ),
    ),
}
