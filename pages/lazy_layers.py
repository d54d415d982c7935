"""Parameters without a shape: what they are before the first batch, and what it makes of them."""

from playground.lessons.lazy_layers import figures, source
from playground.lessons.lazy_layers import records as ask
from ui import compute
from ui.controls import choice, option
from ui.lesson_frame import Lesson, Step
from ui.network import network
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("lazy_layers")


def brought(step: Step) -> str:
    """The lesson's network, or the student's, as JSON."""
    return network(step, ask.DEFAULT).to_json()


@lesson.step("before")
def before(step: Step) -> None:
    reveal(step, choose(step, ask.AskTooEarly), source.ask_too_early)


@lesson.step("timeline")
def timeline(step: Step) -> None:
    settings = choose(step, ask.LazyTimeline, network=brought(step), seed=0)
    reveal(step, settings, source.lazy_timeline, figures.timeline)


@lesson.step("too-early")
def too_early(step: Step) -> None:
    settings = choose(step, ask.TryTooEarly, network=brought(step))
    reveal(step, settings, source.try_too_early, figures.marks)


@lesson.step("optimizer")
def optimizer(step: Step) -> None:
    reveal(step, choose(step, ask.TrainFromBefore), source.train_from_before)


@lesson.step("apply")
def apply(step: Step) -> None:
    reveal(step, choose(step, ask.InitialiseNet), source.initialise_net)


@lesson.step("second-width")
def second_width(step: Step) -> None:
    reveal(step, choose(step, ask.FeedAgain), source.feed_again)


@lesson.step("every-lazy-layer")
def every_lazy_layer(step: Step) -> None:
    names = compute.look_up(ask.ListLazyLayers()).names
    layer = option(step, "layer", names, default=ask.FeedLazyLayer().layer)
    settings = choose(step, ask.FeedLazyLayer, layer=layer)
    report = compute.run(settings)
    reveal(step, settings, lambda _: source.feed_lazy_layer(settings, report), figures.decided)


@lesson.step("same-seed")
def same_seed(step: Step) -> None:
    used = brought(step)
    recipes = ask.recipes_for(used)
    recipe = choice(step, "recipe", ask.Recipe, among=recipes)
    reveal(
        step,
        choose(step, ask.CompareSeeds, network=used, recipe=recipe),
        source.compare_seeds,
        figures.draws,
    )


lesson.show()
